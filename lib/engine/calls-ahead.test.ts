import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_CALLS_PER_REPLY } from '../events/limits.ts';
import type { Approval, PendingCall, PendingReply } from '../events/run-state.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import type { ToolResult } from '../tools/tool.ts';
import { CallsAhead, callsBeside, MAX_CONCURRENT_CALLS } from './calls-ahead.ts';

const isIndependent = (tool: string) => tool === 'read_file';

function replyOf(names: readonly string[]): PendingReply {
  const calls = names.map(
    (name, index): PendingCall => ({
      callId: `c${index}`,
      messageId: `c${index}`,
      name,
      arguments: {},
      status: index === 0 ? 'running' : 'waiting',
    }),
  );
  return {
    call: 1,
    seq: 1,
    outcome: 'tool_calls',
    text: '',
    malformed: false,
    cut: false,
    calls,
    accepted: true,
  };
}

it('lets only the next calls that are independent and need no decision run ahead [T13]', () => {
  const names = fc.array(fc.constantFrom('read_file', 'write_file', 'run_command'), {
    minLength: 1,
    maxLength: 40,
  });
  const asks = fc.boolean();
  fc.assert(
    fc.property(names, asks, fc.nat({ max: 5 }), (tools, asksForReads, decided) => {
      const reply = replyOf(tools);
      const [first] = reply.calls;
      if (!first) throw new RangeError('no call');
      const config = sampleConfig(
        asksForReads ? { approval: { default: 'auto', tools: { read_file: 'ask' } } } : {},
      );
      const approvals = decided === 0 ? {} : { [`c${decided}`]: { tool: 'read_file' } as Approval };
      const beside = callsBeside({ reply, config, approvals }, first, isIndependent);
      expect(beside).toEqual(reply.calls.slice(1, 1 + beside.length));
      expect(beside.length).toBeLessThan(MAX_CONCURRENT_CALLS);
      if (tools[0] !== 'read_file' || asksForReads) expect(beside).toEqual([]);
      expect(beside.every(({ name }) => name === 'read_file')).toBe(true);
      expect(beside.some(({ callId }) => callId in approvals)).toBe(false);
      // Every call that could have run ahead did.
      const after = reply.calls[1 + beside.length];
      const couldRun =
        tools[0] === 'read_file' &&
        !asksForReads &&
        after?.name === 'read_file' &&
        !(after.callId in approvals);
      if (beside.length < MAX_CONCURRENT_CALLS - 1) expect(couldRun).toBe(false);
    }),
  );
});

it('leaves calls over the limit of a reply alone', () => {
  const reply = replyOf(Array.from({ length: MAX_CALLS_PER_REPLY + 2 }, () => 'read_file'));
  const last = reply.calls[MAX_CALLS_PER_REPLY - 2];
  if (!last) throw new RangeError('no call');
  const beside = callsBeside({ reply, config: sampleConfig({}), approvals: {} }, last, isIndependent);
  expect(beside.map(({ callId }) => callId)).toEqual([`c${MAX_CALLS_PER_REPLY - 1}`]);
});

it('begins each call once and hands it over when its turn comes', async () => {
  const ahead = new CallsAhead();
  const begun: string[] = [];
  const begin = (name: string) => async (): Promise<ToolResult> => {
    begun.push(name);
    return { success: true, tool: 'read_file', output: name };
  };
  ahead.begin('c1', begin('first'));
  ahead.begin('c1', begin('again'));
  expect((await ahead.take('c1', begin('at its turn')).result).output).toBe('first');
  const later = ahead.take('c2', begin('second'));
  expect((await later.result).output).toBe('second');
  const took = later.durationMs();
  expect(later.durationMs()).toBe(took);
  expect(begun).toEqual(['first', 'second']);
});
