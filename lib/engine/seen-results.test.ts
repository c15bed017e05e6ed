import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readReplyMessage, resultMessage } from '../events/conversation.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';
import { SeenResults } from './seen-results.ts';

interface Made {
  name: string;
  arguments: JsonObject;
  output: JsonValue;
}

const made = (name: string, args: JsonObject, output: JsonValue): Made => ({ name, arguments: args, output });
const read = (path: string, content: string) => made('read_file', { path }, { content });

const callOf = ({ name, arguments: args }: Made) => ({ messageId: 'c1', name, arguments: args });
const resultOf = ({ name, output }: Made) => ({ success: true as const, tool: name, output });

/** The state after some calls, one per iteration. */
function stateAfter(calls: readonly Made[], attempt = 1): RunState {
  const messages = calls.flatMap((call) => {
    const asked = readReplyMessage({ text: '', calls: [callOf(call)] }, undefined);
    return [...(asked ? [asked] : []), resultMessage(callOf(call), resultOf(call), undefined)];
  });
  return { ...emptyRunState('r1'), attempt, messages };
}

/** Which of the calls returned something new, as seen by one worker. */
function newsIn(calls: readonly Made[]): boolean[] {
  const seen = new SeenResults();
  return calls.map((call, index) =>
    seen.isNew(stateAfter(calls.slice(0, index)), callOf(call), resultOf(call)),
  );
}

it('a repeated read is not new; the same file with other content is [G11]', () => {
  expect(newsIn([read('a', '1'), read('a', '1'), read('a', '2'), read('a', '1')])).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it('two searches that find nothing are two pieces of information [G11]', () => {
  const search = (pattern: string) => made('search_files', { pattern }, []);
  expect(newsIn([search('x'), search('y'), search('x')])).toEqual([true, true, false]);
});

it('ignores how long a command took, but not its output [G11]', () => {
  const command = (stdout: string, ms: number) =>
    made('run_command', { command: 'make' }, { exit_code: 0, stdout, stderr: '', duration_ms: ms });
  expect(newsIn([command('"duration_ms":1', 10), command('"duration_ms":1', 20)])).toEqual([true, false]);
  expect(newsIn([command('"duration_ms":1', 10), command('"duration_ms":2', 10)])).toEqual([true, true]);
});

it('a successful write is always new, a failed call never [G11]', () => {
  const write = made('write_file', { path: 'a', content: 'x' }, { bytes: 1 });
  expect(newsIn([write, write])).toEqual([true, true]);
  const failure = { success: false as const, tool: 'read_file', output: { error: 'No such file' } };
  expect(new SeenResults().isNew(stateAfter([]), callOf(read('a', '')), failure)).toBe(false);
});

it('a new attempt has seen nothing [G11]', () => {
  const seen = new SeenResults();
  const once = read('a', '1');
  expect(seen.isNew(stateAfter([]), callOf(once), resultOf(once))).toBe(true);
  expect(seen.isNew(stateAfter([once]), callOf(once), resultOf(once))).toBe(false);
  expect(seen.isNew(stateAfter([], 2), callOf(once), resultOf(once))).toBe(true);
});

const anyCall = fc.record({
  name: fc.constantFrom('read_file', 'list_directory', 'run_command'),
  arguments: fc.dictionary(fc.constantFrom('path', 'pattern', 'n'), fc.constantFrom<JsonValue>('a', 'b', 1)),
  output: fc.oneof(
    fc.constantFrom<JsonValue>('', 'x', 'y', [], ['x']),
    fc.jsonValue() as fc.Arbitrary<JsonValue>,
  ),
});
const anyCalls = fc.array(anyCall, { maxLength: 12 });
const keyOf = ({ name, arguments: args, output }: Made) =>
  JSON.stringify([name, sortedJson(args), JSON.stringify(output)]);

it('every call counts as new exactly once, in any order of calls [G11]', () => {
  const shuffled = anyCalls.chain((calls) =>
    fc.tuple(fc.constant(calls), fc.shuffledSubarray(calls, { minLength: calls.length })),
  );
  fc.assert(
    fc.property(shuffled, ([calls, other]) => {
      const different = new Set(calls.map(keyOf)).size;
      for (const order of [calls, other]) expect(newsIn(order).filter(Boolean)).toHaveLength(different);
      expect(newsIn([...calls, ...other]).slice(calls.length)).toEqual(other.map(() => false));
    }),
  );
});

it('a worker that resumes the run decides as the one before it would have [G11]', () => {
  fc.assert(
    fc.property(anyCalls, fc.nat(), (calls, cut) => {
      const at = calls.length === 0 ? 0 : cut % calls.length;
      const resumed = new SeenResults();
      const rest = calls
        .slice(at)
        .map((call, index) =>
          resumed.isNew(stateAfter(calls.slice(0, at + index)), callOf(call), resultOf(call)),
        );
      expect(rest).toEqual(newsIn(calls).slice(at));
    }),
  );
});
