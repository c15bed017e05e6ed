import { expect, it } from 'vitest';
import { argumentFields, editedArguments } from './edit-arguments.ts';

const schema = {
  properties: { path: { type: 'string' }, content: { type: 'string' }, lines: { type: 'integer' } },
};

it('shows texts unchanged, other values as JSON, and what the model left out [D7]', () => {
  expect(argumentFields({ path: 'a "b"', deep: [1] }, schema)).toEqual([
    { name: 'path', text: 'a "b"', plain: true, missing: false },
    { name: 'deep', text: '[\n  1\n]', plain: false, missing: false },
    { name: 'content', text: '', plain: true, missing: true },
    { name: 'lines', text: '', plain: false, missing: true },
  ]);
});

it('reads them back unchanged, with added arguments and without empty ones', () => {
  const fields = argumentFields({ path: '', deep: { a: null } }, schema);
  expect(editedArguments(fields)).toEqual({ ok: true, arguments: { path: '', deep: { a: null } } });
  const more = fields.map((field) => (field.name === 'lines' ? { ...field, text: '3' } : field));
  expect(editedArguments(more)).toMatchObject({ ok: true, arguments: { lines: 3 } });
});

it('names the argument that is not JSON', () => {
  const fields = argumentFields({ deep: 1 }, undefined).map((field) => ({ ...field, text: '{' }));
  expect(editedArguments(fields)).toEqual({ ok: false, name: 'deep', problem: 'deep is not JSON.' });
});
