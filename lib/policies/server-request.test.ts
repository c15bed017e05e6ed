import { describe, expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { iterationMs } from '../events/fold-timeline/iteration-heading.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import type { AskedRequest } from '../events/mcp-request.ts';
import { emptyRunState } from '../events/run-state.ts';
import { waitedMs, workedMs } from '../events/worked-ms.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { answerServerRequest } from './server-request.ts';

const FORM: AskedRequest = {
  kind: 'form',
  message: 'Who?',
  fields: [{ name: 'name', kind: 'text', required: true }],
};
const place = { request_id: 'q1', call_id: 'c1' };

/** A running call whose server asks something. */
function asking(request: AskedRequest = FORM): SampleLog {
  return new SampleLog()
    .prepare()
    .iteration()
    .callStarts()
    .reply({ calls: [{ name: 'asker__act', arguments: {} }], ms: 10 })
    .push({ type: 'tool-call.started', call_id: 'c1', iteration: 1, tool: 'asker__act' })
    .push({ type: 'mcp-request.received', ...place, server: 'asker', request }, 100);
}
const state = (log: SampleLog) => foldAll(emptyRunState(log.runId), log.events);
const row = (log: SampleLog) => {
  const found = foldTimeline(emptyTimeline, log.events).rows.find(({ kind }) => kind === 'tool');
  if (found?.kind !== 'tool') throw new Error('There is no call');
  return found;
};
const shownIteration = (log: SampleLog) => {
  const found = foldTimeline(emptyTimeline, log.events).rows.find(({ kind }) => kind === 'iteration');
  if (found?.kind !== 'iteration') throw new Error('There is no iteration');
  return iterationMs(found);
};
const answered = (log: SampleLog) =>
  log.push(
    { type: 'mcp-request.answered', ...place, action: 'accept', content: { name: 'Ada' }, by: 'operator' },
    60_000,
  );
const ended = (log: SampleLog) =>
  log.push({
    type: 'tool-call.ended',
    call_id: 'c1',
    tool: 'asker__act',
    result: { success: true, tool: 'asker__act', output: 'done' },
    duration_ms: 5,
  });

describe('a run whose server asks something', () => {
  it('waits for the operator, which is not run time, and continues the call', () => {
    const log = asking();
    expect(state(log)).toMatchObject({ phase: 'awaiting-approval', mcpRequests: { count: 1 } });
    expect(row(log).status).toBe('awaiting answer');
    const before = workedMs(state(log), state(log).updatedAt);
    answered(log);
    const after = state(log);
    expect(after.phase).toBe('executing');
    expect(row(log)).toMatchObject({ status: 'running', asked: [{ answered: { action: 'accept' } }] });
    expect(waitedMs(after, after.updatedAt)).toBe(60_000);
    expect(workedMs(after, after.updatedAt)).toBe(before);
  });

  it('stops waiting when the call has ended or was interrupted', () => {
    const log = ended(asking());
    expect(state(log).mcpRequests.open).toBeUndefined();
    expect(state(log).phase).toBe('executing');
    expect(row(log).status).toBe('succeeded');
  });

  it('waits for a slot before a sample, which is no run time', () => {
    const log = asking({ kind: 'sampling', messages: [{ role: 'user', text: 'Hi' }], max_tokens: 5 });
    log.push({ type: 'mcp-request.answered', ...place, action: 'accept', by: 'operator' });
    const [before, shownBefore] = [state(log), shownIteration(log)];
    log.push({ type: 'mcp-sampling.started', ...place, options: {}, waited_ms: 30_000 }, 30_000);
    const after = state(log);
    expect(waitedMs(after, after.updatedAt) - waitedMs(before, before.updatedAt)).toBe(30_000);
    expect(workedMs(after, after.updatedAt)).toBe(workedMs(before, before.updatedAt));
    expect(shownIteration(log)).toBe(shownBefore);
  });

  it('counts the tokens and the time of a sample, but not as a message', () => {
    const log = asking({ kind: 'sampling', messages: [{ role: 'user', text: 'Hi' }], max_tokens: 5 });
    const before = state(log);
    log
      .push({ type: 'mcp-request.answered', ...place, action: 'accept', by: 'operator' })
      .push({ type: 'mcp-sampling.started', ...place, options: {} })
      .push({
        type: 'mcp-sampling.ended',
        ...place,
        text: 'Hello',
        prompt_tokens: 7,
        reply_tokens: 3,
        duration_ms: 40,
      });
    const after = state(log);
    expect(after.tokensIn - before.tokensIn).toBe(7);
    expect(after.tokensOut - before.tokensOut).toBe(3);
    expect(after.spent.modelMs - before.spent.modelMs).toBe(40);
    expect(after.messages).toEqual(before.messages);
    expect(row(log).asked).toMatchObject([{ sampled: { text: 'Hello' } }]);
  });
});

describe('the answer to a server', () => {
  const accept = { requestId: 'q1', action: 'accept' as const, content: { name: 'Ada' } };

  it('is recorded once', () => {
    const log = asking();
    expect(answerServerRequest(state(log), accept)).toEqual([
      { type: 'mcp-request.answered', ...place, action: 'accept', content: { name: 'Ada' }, by: 'operator' },
    ]);
    answered(log);
    expect(answerServerRequest(state(log), accept)).toEqual([]);
    expect(() => answerServerRequest(state(log), { ...accept, action: 'decline' })).toThrow(
      /already answered/,
    );
  });

  it('has the content of an accepted form only', () => {
    const decline = { ...accept, action: 'decline' as const };
    expect(answerServerRequest(state(asking()), decline)[0]).not.toHaveProperty('content');
    expect(() => answerServerRequest(state(asking()), { ...accept, content: { name: 5 } })).toThrow(
      'content: name: Enter a text.',
    );
    expect(() => answerServerRequest(state(asking()), { requestId: 'q1', action: 'accept' })).toThrow(
      'content: name: Enter a value.',
    );
    const url = asking({ kind: 'url', message: 'Open', url: 'https://example.org/' });
    expect(() => answerServerRequest(state(url), accept)).toThrow('has no form');
    expect(answerServerRequest(state(url), { requestId: 'q1', action: 'accept' })).toHaveLength(1);
  });

  it('is refused where nobody waits for it', () => {
    expect(() => answerServerRequest(state(asking()), { ...accept, requestId: 'q2' })).toThrow(
      /No server waits/,
    );
    expect(() => answerServerRequest(state(ended(asking())), accept)).toThrow(/No server waits/);
    const stopping = asking().push({ type: 'stop.requested', force: false, by: 'operator' });
    expect(() => answerServerRequest(state(stopping), accept)).toThrow(/is stopping/);
  });
});
