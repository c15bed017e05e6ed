import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { PROMPT_ROLES, type PromptRole } from '../events/prompt-role.ts';
import { noPrompts, PromptFold } from '../events/prompt-roles.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { calls, type PlayedRun, play, says, stop, until } from '../testing/loop-harness.ts';
import { sentRequest } from './sent-request.ts';

async function* pages(events: readonly RunEvent[]) {
  for (let from = 0; from < events.length; from += 7) yield events.slice(from, from + 7);
}

/** The bodies of all calls, rebuilt from the log. */
async function rebuilt({ log, of }: PlayedRun) {
  const requests = await Promise.all(
    of('model-call.started').map(({ call }) => sentRequest('run', pages(log.events), call)),
  );
  return requests.map((found) => found?.reply.body);
}

it('a request made again from the log is what Ollama received, call by call', async () => {
  await using run = await play(
    { task: 'Read and write', model_options: { temperature: 0.2, seed: 7 }, think: true },
    [
      calls({ name: 'list_directory', arguments: { path: '.' } }),
      calls({ name: 'write_file', arguments: { path: 'a.txt', content: 'A' } }, { name: 'read_file' }),
      says('Done.'),
    ],
  );
  expect(run.fake.chats).toHaveLength(3);
  expect(await rebuilt(run)).toEqual(run.fake.chats);
});

it('what was sent shorter is in the request, and the whole beside it', async () => {
  const text = 'long line of a file\n'.repeat(900);
  await using run = await play(
    { task: 'Read it again and again', window_tokens: 6000, stall_guard: false },
    [
      ...[1, 2, 3, 4, 5, 6].map((offset) =>
        calls({ name: 'read_file', arguments: { path: 'big.txt', offset } }),
      ),
      says('Done.'),
    ],
    { files: { 'big.txt': text } },
  );
  expect(run.of('policy.compacted').length).toBeGreaterThan(0);
  expect(await rebuilt(run)).toEqual(run.fake.chats);
  const last = await sentRequest('run', pages(run.log.events), run.of('model-call.started').length);
  const shortened = last?.reply.messages.filter(({ whole }) => whole !== undefined) ?? [];
  expect(shortened.length).toBeGreaterThan(0);
  expect(shortened[0]?.whole).toContain('long line of a file');
});

const ROLES: Readonly<Record<string, PromptRole>> = { tool: 'results' };
/** Each message of a request is rounded up to whole tokens. */
const ROUNDING = 1;

it('divides the estimate of each prompt by role as its request is divided', async () => {
  const text = 'long line of a file\n'.repeat(900);
  await using run = await play(
    { task: 'Read it again and again', window_tokens: 6000, stall_guard: false },
    [
      ...[1, 2, 3, 4, 5].map((offset) =>
        calls({ name: 'read_file', arguments: { path: 'big.txt', offset } }),
      ),
      says('I plan to read it once more.'),
      says('Done.'),
    ],
    { files: { 'big.txt': text } },
  );
  const fold = new PromptFold(noPrompts);
  foldAll(emptyRunState('run'), run.log.events, (state, event) => fold.take(state, event));
  const { prompts } = fold.history;
  expect(prompts).toHaveLength(run.of('model-call.started').length);
  for (const { call, roles } of prompts) {
    const sent = await sentRequest('run', pages(run.log.events), call);
    for (const role of PROMPT_ROLES) {
      const own = (sent?.request.messages ?? []).flatMap((message, index) =>
        (ROLES[message.role] ?? message.role) === role ? [sent?.reply.messages[index]] : [],
      );
      const tokens = own.reduce((sum, message) => sum + (message?.estimated_tokens ?? 0), 0);
      const wanted = role === 'tools' ? (sent?.reply.tools_estimated_tokens ?? 0) : tokens;
      expect(Math.abs(roles[role] - wanted), `${role} of call ${call}`).toBeLessThanOrEqual(
        ROUNDING * (own.length + 1),
      );
    }
  }
});

it.each([
  { mode: 'session', task: 'Hello.' },
  { mode: 'explore', max_cycles: 1 },
] as const)('sends again what $mode sent, too', async (request) => {
  const steps = [calls({ name: 'write_memory', arguments: { key: 'a', value: 'b' } }), says('I reflect.')];
  await using run = await play(request, steps, {
    during: async ({ log }) => {
      await until(log, (events) => events.some(({ type }) => type === 'turn.ended' || type === 'run.ended'));
      if (!log.state.ended) log.append([stop()]);
    },
  });
  expect(run.fake.chats.length).toBeGreaterThan(0);
  expect(await rebuilt(run)).toEqual(run.fake.chats);
});

it('does not find a call that was not made', async () => {
  await using run = await play({ task: 'Say it' }, [says('Done.')]);
  expect(await sentRequest('run', pages(run.log.events), 2)).toBeUndefined();
  expect((await sentRequest('run', pages(run.log.events), 1))?.reply.evaluated_tokens).toBeGreaterThan(0);
});

it('knows which version of the model a call went to', async () => {
  const versions = ['first', 'second'];
  await using run = await play(
    { task: 'Do it' },
    [calls({ name: 'read_file', arguments: { path: 'a.md' } }), says('Done.')],
    {
      loop: ({ model }) => ({
        yieldToOthers: async () => true,
        model: {
          ...model,
          show: async (...asked) => ({ ...(await model.show(...asked)), digest: 'first' }),
          load: async (...asked) => ({ ...(await model.load(...asked)), digest: versions.shift() }),
        },
      }),
    },
  );
  const digestOf = async (call: number) =>
    (await sentRequest('run', pages(run.log.events), call))?.recorded.digest;
  expect([await digestOf(1), await digestOf(2)]).toEqual(['first', 'second']);
});
