import { afterEach, describe, expect, it, vi } from 'vitest';
import { calls, play, says, until } from '../testing/loop-harness.ts';
import { endsAfterMessage, openTestService, scripted, type TestService } from '../testing/test-service.ts';
import type { ExecuteRun } from './run-worker.ts';

const list = { name: 'read_file', arguments: { path: 'a.md' } };
const said = (id: string, text: string) => ({ type: 'operator.messaged' as const, message_id: id, text });

describe('what a person says', () => {
  it('reaches a session as a user message before its next turn, in place of the re-prompt', async () => {
    await using run = await play(
      { mode: 'session', autopilot: true, context_limit: 1500 },
      [{ ...says('One.'), pace: { prompt_ms: 150 } }, says('z'.repeat(900))],
      {
        during: async ({ log }) => {
          await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
          log.append([said('m1', 'Look at the sky.')]);
          log.append([said('m2', 'And the sea.')]);
        },
      },
    );
    expect(run.sent(1).slice(2)).toEqual([
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'Look at the sky.\n\nAnd the sea.' },
    ]);
    expect(run.sent(2).at(-1)).toEqual({ role: 'user', content: 'Continue.' });
    expect(run.of('operator.delivered')).toMatchObject([{ message_ids: ['m1', 'm2'], as: 'user-message' }]);
    expect(run.log.state.operatorMessages.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  it('reaches a task between two iterations, after the results', async () => {
    await using run = await play(
      { task: 'Do it.' },
      [{ ...calls(list), pace: { prompt_ms: 150 } }, says('The task is completed.')],
      {
        during: async ({ log }) => {
          await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
          log.append([said('m1', 'Also greet me.')]);
        },
      },
    );
    expect(run.sent(1).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(run.sent(1).at(-1)?.content).toBe('Also greet me.');
    expect(run.end.result.termination_reason).toBe('final_answer');
  });

  it('is returned when the run ends before it was read', async () => {
    await using run = await play(
      { task: 'Do it.' },
      [{ ...says('The task is completed.'), pace: { prompt_ms: 150 } }],
      {
        during: async ({ log }) => {
          await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
          log.append([said('m1', 'Wait!')]);
        },
      },
    );
    expect(run.log.state.operatorMessages).toMatchObject([{ id: 'm1', text: 'Wait!', status: 'returned' }]);
    expect(run.fake.chats).toHaveLength(1);
  });
});

describe('the service', () => {
  let test: TestService;
  afterEach(() => test.dispose());

  const untilAborted: ExecuteRun = async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { outcome: 'suspended' };
  };

  it('stores a message at once and numbers it, also for a run that waits in line', async () => {
    test = await openTestService(untilAborted);
    await test.start();
    const waiting = await test.start();
    const [first, second] = await Promise.all([
      test.service.message(waiting, 'One.'),
      test.service.message(waiting, 'Two.'),
    ]);
    expect([first.message, second.message]).toMatchObject([
      { id: 'm1', text: 'One.', status: 'queued' },
      { id: 'm2', text: 'Two.', status: 'queued' },
    ]);
    const events = await test.store.read(waiting, { afterSeq: 0, limit: 100 });
    expect(events.filter(({ type }) => type === 'operator.messaged')).toHaveLength(2);
  });

  it('keeps a message over a restart', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    await test.service.message(id, 'Remember.');
    await test.restart();
    await test.service.resumeUnfinished();
    expect((await test.service.message(id, 'Again.')).message.id).toBe('m2');
  });

  it('refuses a message for a run that has ended or is not there, and too many of them', async () => {
    test = await openTestService(scripted([]));
    const ended = await test.start();
    await vi.waitFor(async () => expect((await test.service.stored.get(ended)).run.phase).toBe('ended'));
    await expect(test.service.message(ended, 'Hello?')).rejects.toMatchObject({ code: 'run_ended' });
    await expect(test.service.message('nobody', 'Hello?')).rejects.toMatchObject({ code: 'run_not_found' });
    await test.restart(untilAborted);
    const open = await test.start();
    for (let n = 0; n < 100; n += 1) await test.service.message(open, `${n}`);
    await expect(test.service.message(open, 'One more.')).rejects.toMatchObject({
      code: 'too_many_messages',
    });
  });

  it('sends a message once for a repeated key, also at the same time and after a restart', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    const send = (text: string, idempotencyKey?: string) =>
      test.service.message(id, text, { idempotencyKey });
    const answers = await Promise.all([send('Look.', 'a'), send('Look.', 'a'), send('Look.', 'b')]);
    expect(answers.map(({ message, created }) => [message.id, created])).toEqual([
      ['m1', true],
      ['m1', false],
      ['m2', true],
    ]);
    await test.restart();
    await test.service.resumeUnfinished();
    expect(await send('Look.', 'a')).toMatchObject({ created: false, message: { id: 'm1', text: 'Look.' } });
    await expect(send('Look up.', 'a')).rejects.toMatchObject({ code: 'idempotency_conflict' });
    expect(await send('Look.')).toMatchObject({ created: true, message: { id: 'm3' } });
  });

  it('returns a message for its key after the end of the run, whether or not it was delivered', async () => {
    test = await openTestService(endsAfterMessage);
    const id = await test.start();
    await test.service.message(id, 'Wait!', { idempotencyKey: 'a' });
    await test.service.ended(id, AbortSignal.timeout(20_000));
    const again = await test.service.message(id, 'Wait!', { idempotencyKey: 'a' });
    expect(again).toMatchObject({ created: false, message: { id: 'm1', status: 'returned' } });
    await expect(test.service.message(id, 'Wait!', { idempotencyKey: 'b' })).rejects.toMatchObject({
      code: 'run_ended',
    });
  });

  it('sends a message to a fork whose key sent one to its source', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    await test.service.message(id, 'Go on.', { idempotencyKey: 'a' });
    const { seq } = (await test.service.stored.stateOf(id)).operatorMessages[0] ?? {};
    const { run } = await test.service.fork(id, { at: { seq: seq ?? 0 }, edits: [], settings: {} });
    const sent = await test.service.message(run.id, 'Go on.', { idempotencyKey: 'a' });
    expect(sent).toMatchObject({ created: true, message: { id: 'm2' } });
  });
});
