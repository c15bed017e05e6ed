import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapePlaceholders, fillIn, placeholderNames } from './placeholders.ts';

const values = new Map([
  ['file', 'a.md'],
  ['Sprache', 'Deutsch'],
]);

it('fills in names in braces, and lists each once', () => {
  const template = 'Translate {file} into {Sprache}: {file} and {other}.';
  expect(placeholderNames(template)).toEqual(['file', 'Sprache', 'other']);
  expect(fillIn(template, values)).toBe('Translate a.md into Deutsch: a.md and {other}.');
});

it('reads doubled braces as text, and does not change other braces', () => {
  expect(fillIn('{{file}} is {file}, {{{file}}}', values)).toBe('{file} is a.md, {{file}}');
  for (const text of [
    '{"a": {"b": 1}}',
    '{ file }',
    '{}',
    'function() { return file }',
    '{1}',
    '{a b}',
    '}file{',
  ]) {
    expect(placeholderNames(text), text).toEqual([]);
    expect(fillIn(text, values)).toBe(text);
  }
  expect(fillIn('{{file}', values)).toBe('{a.md');
});

it('does not search values for placeholders, nor take them for patterns', () => {
  const hostile = new Map([
    ['file', '{Sprache} $& $1'],
    ['Sprache', 'x'],
  ]);
  expect(fillIn('{file}', hostile)).toBe('{Sprache} $& $1');
  expect(fillIn('{constructor} {__proto__}', new Map())).toBe('{constructor} {__proto__}');
});

const braces = fc.string({ unit: fc.constantFrom('{', '}', 'a', 'file', ' ', '"', '1', '\n') });

it('an escaped text is filled in to itself and has no placeholders', () => {
  fc.assert(
    fc.property(braces, (text) => {
      const template = escapePlaceholders(text);
      expect(placeholderNames(template)).toEqual([]);
      expect(fillIn(template, values)).toBe(text);
    }),
  );
});

it('once all placeholders have values, none is left of the template', () => {
  fc.assert(
    fc.property(braces, (template) => {
      const all = new Map(placeholderNames(template).map((name) => [name, '·']));
      expect(fillIn(template, all).split('·').length - 1).toBeGreaterThanOrEqual(all.size);
    }),
  );
});
