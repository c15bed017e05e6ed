import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BehaviorCheck } from '../events/check-kinds.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import { judgeBehavior } from './judge-behavior.ts';

const call = (name: string, args: JsonObject = {}) => ({ name, arguments: args });
const history = [
  [call('read_file', { path: 'a.md', lines: { from: 1, to: 9 } }), call('read_file', { path: 'b.md' })],
  [call('write_file', { path: 'c.md', tags: ['x', 'y'] })],
];
const judge = (check: BehaviorCheck) => judgeBehavior(check, { callHistory: history, iteration: 3 });

describe('what an attempt did [V11]', () => {
  it.each<[Omit<Extract<BehaviorCheck, { type: 'tool_called' }>, 'type'>, boolean, string]>([
    [{ tool: 'read_file' }, true, 'read_file was called 2 times.'],
    [{ tool: 'read_file', at_least: 3 }, false, 'read_file was called 2 times.'],
    [{ tool: 'read_file', at_most: 1 }, false, 'read_file was called 2 times.'],
    [{ tool: 'run_command', at_least: 0, at_most: 2 }, true, 'run_command was not called.'],
    [
      { tool: 'read_file', arguments: { lines: { to: 9 } } },
      true,
      'read_file was called 1 time with these arguments, and 1 time with other arguments.',
    ],
    [
      { tool: 'read_file', arguments: { path: 'c.md' } },
      false,
      'read_file was not called with these arguments, and 2 times with other arguments.',
    ],
    [
      { tool: 'write_file', arguments: { tags: ['x'] } },
      false,
      'write_file was not called with these arguments, and 1 time with other arguments.',
    ],
    [
      { tool: 'write_file', arguments: { tags: ['x', 'y'] } },
      true,
      'write_file was called 1 time with these arguments.',
    ],
  ])('tool_called %o: %s', (check, passed, output) => {
    expect(judge({ type: 'tool_called', ...check })).toEqual({ passed, output });
  });

  it('counts calls of a tool that must not be called', () => {
    expect(judge({ type: 'tool_not_called', tool: 'run_command' }).passed).toBe(true);
    expect(judge({ type: 'tool_not_called', tool: 'read_file' })).toEqual({
      passed: false,
      output: 'read_file was called 2 times.',
    });
  });

  it('counts iterations', () => {
    expect(judge({ type: 'iterations_at_most', iterations: 3 }).passed).toBe(true);
    expect(judge({ type: 'iterations_at_most', iterations: 2 })).toEqual({
      passed: false,
      output: 'The attempt took 3 iterations.',
    });
  });

  it('finds a call by any part of its arguments', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>);
    fc.assert(
      fc.property(json, fc.string(), (args, key) => {
        const { [key]: _left, ...part } = args;
        const state = { callHistory: [[call('read_file', args)]], iteration: 1 };
        for (const given of [args, part, {}]) {
          const check = { type: 'tool_called', tool: 'read_file', arguments: given } as const;
          expect(judgeBehavior(check, state).passed).toBe(true);
        }
      }),
    );
  });
});
