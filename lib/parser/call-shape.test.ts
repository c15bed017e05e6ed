import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../util/json.ts';
import { readCalls, soleTextParameter } from './call-shape.ts';
import type { Strength } from './reading.ts';
import { TOOLS, tool } from './testing/tools.ts';
import { ToolIndex } from './tool-index.ts';

const tools = new ToolIndex([
  ...TOOLS,
  tool('define', { type: { type: 'string' }, properties: { type: 'object' } }),
]);
const read = (value: JsonValue, strength: Strength = 'weak') =>
  readCalls(value, { tools, strength }).map((verdict) =>
    'call' in verdict ? [verdict.call.name, verdict.call.arguments] : verdict.refusal.reason,
  );
const args = { path: 'a' };
const call = [['read_file', args]];

describe('reads every spelling of a call [P6, P12]', () => {
  it.each<[JsonValue]>([
    [{ name: 'read_file', arguments: args }],
    [{ arguments: args, name: 'read_file' }],
    [{ name: 'read_file', parameters: args }],
    [{ function: 'read_file', arguments: args }],
    [{ tool: 'read_file', args }],
    [{ tool_name: 'read_file', parameters: args, tool_call_id: '0' }],
    [{ action: 'read_file', action_input: args }],
    [{ type: 'function', name: 'read_file', parameters: args }],
    [{ type: 'tool_use', id: 'x', name: 'read_file', input: args }],
    [{ type: 'function', function: { name: 'read_file', arguments: args } }],
    [{ tool_calls: [{ function: { name: 'read_file', arguments: JSON.stringify(args) } }] }],
    [{ thoughts: 'I read.', command: { name: 'read_file', args } }],
    [{ read_file: args }],
    [[{ name: 'read_file', arguments: args }, { other: 1 }, 5]],
    [{ name: 'read_file', arguments: [args] }],
    [{ name: 'read_file', arguments: JSON.stringify(JSON.stringify(args)) }],
    [{ name: 'read_file', arguments: 'a' }],
  ])('%j', (value) => {
    expect(read(value)).toEqual(call);
  });

  it('treats missing arguments as empty [P3]', () => {
    const spellings: JsonValue[] = [
      { name: 'list_directory' },
      { name: 'list_directory', arguments: null },
      { name: 'list_directory', arguments: '' },
    ];
    for (const value of spellings) {
      expect(read(value)).toEqual([['list_directory', {}]]);
    }
  });
});

describe('distinguishes calls from other data [P16]', () => {
  it.each<[JsonValue, string[]]>([
    [{ name: 'Bob', age: 4 }, []],
    [{ name: 'read_file', size: 3 }, []],
    [{ name: 5, arguments: {} }, []],
    [{ arguments: args }, []],
    [{ read_file: { calls: 3 } }, []],
    [{ name: 'delete_file', arguments: args }, ['name-not-offered']],
    [{ name: 'read_file', results: [1] }, ['result-echo']],
    [{ role: 'tool', name: 'read_file', arguments: args }, ['result-echo']],
    [{ name: 'read_file', parameters: { type: 'object', properties: {} } }, ['definition-echo']],
    [{ name: 'read_file', arguments: [1, 2] }, ['malformed']],
    [{ name: 'read_file', arguments: '{"path": ' }, ['malformed']],
    [JSON.parse('{"name": "read_file", "arguments": {"a": {"__proto__": 1}}}'), ['unsafe-key']],
  ])('%j', (value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  it('accepts a schema as the argument of a tool that takes one', () => {
    const schema = { type: 'object', properties: { a: {} } };
    expect(read({ name: 'define', arguments: schema })).toEqual([['define', schema]]);
  });
});

describe('after a marker [P16]', () => {
  it('passes unknown names on', () => {
    expect(read({ name: 'fly', arguments: {} }, 'strong')).toEqual([['fly', {}]]);
  });

  it('accepts parameters next to the name when the tool has them', () => {
    expect(read({ name: 'read_file', path: 'a' }, 'strong')).toEqual(call);
  });

  it('reports a missing name', () => {
    expect(read({ name: '', arguments: {} }, 'strong')).toEqual(['malformed']);
  });

  it('does not read a cut-off call as one without arguments', () => {
    const verdicts = readCalls({ name: 'read_file' }, { tools, strength: 'strong', truncated: true });
    expect(verdicts).toMatchObject([{ refusal: { reason: 'cut' } }]);
  });
});

it('unwraps arguments from a surrounding object when they then fit the tool', () => {
  expect(read({ name: 'read_file', arguments: { arguments: args } })).toEqual(call);
  expect(read({ name: 'read_file', arguments: { properties: JSON.stringify(args) } })).toEqual(call);
  const kept: JsonObject[] = [
    { arguments: { colour: 'red' } },
    { other: args },
    { arguments: args, path: 'a' },
    { input: 'a' },
  ];
  for (const given of kept)
    expect(read({ name: 'read_file', arguments: given })).toEqual([['read_file', given]]);
});

it('finds the only text parameter of a tool', () => {
  const schema = tool('x', { query: { type: 'string' }, limit: { type: 'integer' } }, ['query']).function
    .parameters;
  expect(soleTextParameter(schema)).toBe('query');
  expect(
    soleTextParameter(tool('x', { a: { type: 'string' }, b: { type: 'string' } }).function.parameters),
  ).toBeUndefined();
  expect(soleTextParameter(undefined)).toBeUndefined();
});
