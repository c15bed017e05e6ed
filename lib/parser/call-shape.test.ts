import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../util/json.ts';
import { readCalls, type Strength, soleTextParameter } from './call-shape.ts';
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

describe('P6, P12: knows the ways to spell a call', () => {
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

  it('P3: takes missing arguments for none', () => {
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

describe('P16: tells other data from calls', () => {
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

  it('accepts a schema as argument of a tool that takes one', () => {
    const schema = { type: 'object', properties: { a: {} } };
    expect(read({ name: 'define', arguments: schema })).toEqual([['define', schema]]);
  });
});

describe('P16: behind a marker', () => {
  it('passes unknown names on', () => {
    expect(read({ name: 'fly', arguments: {} }, 'strong')).toEqual([['fly', {}]]);
  });

  it('takes parameters beside the name when they are the tool’s', () => {
    expect(read({ name: 'read_file', path: 'a' }, 'strong')).toEqual(call);
  });

  it('says when a name is missing', () => {
    expect(read({ name: '', arguments: {} }, 'strong')).toEqual(['malformed']);
  });

  it('does not take a cut call for one without arguments', () => {
    const verdicts = readCalls({ name: 'read_file' }, { tools, strength: 'strong', truncated: true });
    expect(verdicts).toMatchObject([{ refusal: { reason: 'cut' } }]);
  });
});

it('finds the one text parameter of a tool', () => {
  const schema = tool('x', { query: { type: 'string' }, limit: { type: 'integer' } }, ['query']).function
    .parameters;
  expect(soleTextParameter(schema)).toBe('query');
  expect(
    soleTextParameter(tool('x', { a: { type: 'string' }, b: { type: 'string' } }).function.parameters),
  ).toBeUndefined();
  expect(soleTextParameter(undefined)).toBeUndefined();
});
