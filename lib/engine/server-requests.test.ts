import { expect, it } from 'vitest';
import type { ChatModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { eventsOf } from '../testing/events-of.ts';
import { until } from '../testing/loop-harness.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { ServerRequests, type ServerRequestsOptions } from './server-requests.ts';

/** A call whose server asked for a text, which the operator allowed. */
async function sampling(options: Partial<ServerRequestsOptions> = {}) {
  const { events } = new SampleLog()
    .prepare()
    .iteration()
    .callStarts()
    .reply({ calls: [{ name: 'asker__act', arguments: {} }], ms: 10 })
    .push({ type: 'tool-call.started', call_id: 'c1', iteration: 1, tool: 'asker__act' });
  const log = new MemoryLog({ events });
  const call = log.state.reply?.calls[0];
  if (!call) throw new Error('The sample has no call');
  const ended = new AbortController();
  const requests = new ServerRequests({
    log,
    model: NEVER_DONE,
    abort: new AbortController().signal,
    withoutSlot: (wait) => wait(),
    takeSlot: async () => true,
    ...options,
  });
  const answer = requests.askFor(call)(
    {
      server: 'asker',
      request: { kind: 'sampling', messages: [{ role: 'user', text: 'Hi' }], max_tokens: 5 },
    },
    ended.signal,
  );
  answer.catch(() => undefined);
  await until(log, (found) => eventsOf(found, 'mcp-request.received').length > 0);
  log.append([
    { type: 'mcp-request.answered', request_id: 'q1', call_id: 'c1', action: 'accept', by: 'operator' },
  ]);
  await until(log, (found) => eventsOf(found, 'mcp-sampling.started').length > 0);
  return { log, answer, end: () => ended.abort(new Error('The call has ended.')) };
}

/** A model that generates until it is stopped. */
const NEVER_DONE: Pick<ChatModel, 'chat'> = {
  chat: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () =>
        reject(new ModelError({ kind: 'aborted', message: 'Cancelled.' })),
      );
    }),
};

it('logs the end of a text for a server that no longer waits, before the end of the call', async () => {
  const { log, answer, end } = await sampling();
  end();
  expect(log.events.at(-1)).toMatchObject({
    type: 'mcp-sampling.ended',
    request_id: 'q1',
    error: { code: 'request_withdrawn' },
  });
  await expect(answer).rejects.toThrow('The call has ended.');
  expect(eventsOf(log.events, 'mcp-sampling.ended')).toHaveLength(1);
});

it('logs how long the run waited for a slot before a text', async () => {
  const { log, end } = await sampling({
    takeSlot: () => new Promise((resolve) => setTimeout(resolve, 20, true)),
  });
  const [started] = eventsOf(log.events, 'mcp-sampling.started');
  expect(started?.waited_ms).toBeGreaterThan(10);
  end();
});

it('leaves a text open that a forced stop cuts off, as the call is reported as interrupted', async () => {
  const stop = new AbortController();
  const { log, answer } = await sampling({ abort: stop.signal });
  stop.abort(new Error('Stopped.'));
  await expect(answer).rejects.toThrow('Stopped.');
  expect(eventsOf(log.events, 'mcp-sampling.ended')).toEqual([]);
});
