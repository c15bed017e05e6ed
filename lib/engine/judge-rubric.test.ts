import { expect, it } from 'vitest';
import type { FakeOllamaOptions } from '../demo/fake-ollama.ts';
import type { ScenarioInput, ScenarioStepInput } from '../demo/scenario.ts';
import type { Check } from '../events/check.ts';
import type { RunConfig } from '../events/config.ts';
import type { Opinion } from '../events/verification.ts';
import { resultOfLog } from '../experiments/result-row.ts';
import { type PlayedRun, type PlayOptions, play, says, until } from '../testing/loop-harness.ts';
import { sampleConfig } from '../testing/sample-logs.ts';

const rubric = { type: 'rubric', criteria: 'Names a city.' } as const satisfies Check;
const JUDGE = 'You judge the answer of another model';
const verdict = (word: 'pass' | 'fail', reason: string) => says(JSON.stringify({ reason, verdict: word }));

/** Plays a run that answers with the steps and is judged by the same model or by `judge`. */
function judged(
  steps: ScenarioStepInput[],
  judgment: ScenarioStepInput[],
  { config, ...options }: PlayOptions & { config?: Partial<RunConfig> } = {},
): Promise<PlayedRun> {
  const scenarios: ScenarioInput[] = ['play', 'judge'].map((model) => ({
    ...{ name: `judged-by-${model}`, model, match: JUDGE, steps: judgment },
  }));
  const fake: FakeOllamaOptions = { models: [{ name: 'play' }, { name: 'judge' }], scenarios };
  return play(
    (workspace) =>
      sampleConfig({
        ...{ model: 'play', live_tokens: false, think: false, nudge_plans: false },
        ...{ task: 'Where?', workspace, checks: [rubric] },
        ...config,
      }),
    steps,
    { fake, ...options },
  );
}

function opinionsOf(run: PlayedRun): Opinion[] {
  return run.of('verification.checked').flatMap(({ opinions = [] }) => opinions);
}

async function resultOf(run: PlayedRun) {
  async function* pages() {
    yield run.log.events;
  }
  return resultOfLog(pages());
}

it('logs the opinion of the run’s model with prompt and reply, and verifies nothing by it [V12]', async () => {
  await using run = await judged([says('Somewhere.')], [verdict('fail', 'No city is named.')]);
  expect(run.of('verification.checked')).toMatchObject([{ outcome: 'pass', checks: [] }]);
  const [opinion] = opinionsOf(run);
  expect(opinion).toMatchObject({
    ...{ check: rubric, model: 'play', verdict: 'fail', reason: 'No city is named.' },
    reply: '{"reason":"No city is named.","verdict":"fail"}',
  });
  expect(opinion?.prompt).toMatch(/Criteria:\nNames a city\..*TASK\nWhere\?\n.*ANSWER\nSomewhere\.\n/s);
  expect(run.fake.chats[1]).toMatchObject({ model: 'play', stream: false, think: false });
  expect(run.fake.chats[1]?.options).toMatchObject({ temperature: 0, num_ctx: run.config.window_tokens });
  expect(run.fake.chats[1]?.format).toMatchObject({ required: ['reason', 'verdict'] });

  // No second attempt or failed check, and no tokens or calls that count for the run.
  expect(run.of('attempt.started')).toHaveLength(1);
  expect(run.end).toMatchObject({ outcome: { kind: 'answered' }, result: { status: 'completed' } });
  expect(run.end.verification).toBeUndefined();
  expect(run.end.outcome?.checks).toBeUndefined();
  const [call] = run.of('model-call.ended');
  expect(run.end.result.tokens_in).toBe(call?.prompt_tokens);
  expect(run.log.state.calls).toBe(1);

  const result = await resultOf(run);
  expect(result).toMatchObject({ opinions_judged: 1, opinions_passed: 0 });
  expect(result?.verification).toBeUndefined();
});

it('only checks decide about another attempt; each attempt gets its opinions, by the chosen model [V12]', async () => {
  const contains: Check = { type: 'answer_contains', text: 'Paris' };
  await using run = await judged([says('In Lyon.')], [verdict('pass', 'A city is named.')], {
    config: { checks: [{ ...rubric, model: 'judge' }, contains], max_attempts: 2 },
  });
  const events = run.of('verification.checked');
  expect(events.map(({ outcome, checks }) => [outcome, checks.length])).toEqual([
    ['fail', 1],
    ['fail', 1],
  ]);
  expect(opinionsOf(run).map(({ model, verdict: word }) => [model, word])).toEqual([
    ['judge', 'pass'],
    ['judge', 'pass'],
  ]);
  expect(run.fake.chats.map(({ model }) => model)).toEqual(['play', 'judge', 'play', 'judge']);
  const corrective = run.sent(2).at(-1)?.content;
  expect(corrective).toContain('The answer should contain: Paris');
  expect(corrective).not.toContain('A city is named.');
  expect(run.end.outcome).toMatchObject({ kind: 'answered_checks_failed', checks: { failed: 1, total: 1 } });
  expect(await resultOf(run)).toMatchObject({
    ...{ verification: 'fail', opinions_judged: 1, opinions_passed: 1 },
  });
});

it('a failed judge is an opinion without a verdict, and the run ends as it would have', async () => {
  const checks: Check[] = [{ ...rubric, model: 'absent' }, rubric];
  await using run = await judged([says('Paris.')], [says('{"verdict": "maybe"}')], { config: { checks } });
  const [absent, unreadable] = opinionsOf(run);
  expect(absent).toMatchObject({ model: 'absent', reason: expect.stringContaining('absent') });
  expect(absent).not.toHaveProperty('reply');
  expect(unreadable).toMatchObject({
    reply: '{"verdict": "maybe"}',
    reason: 'The reply has no verdict ("pass" or "fail") with a reason.',
  });
  for (const opinion of [absent, unreadable]) expect(opinion).not.toHaveProperty('verdict');
  expect(run.end).toMatchObject({ outcome: { kind: 'answered' }, result: { error: null } });

  await using failing = await judged(
    [says('Paris.')],
    [{ fault: { kind: 'http', status: 500, body: { error: 'out of memory' } } }],
  );
  expect(opinionsOf(failing)).toMatchObject([{ reason: expect.stringContaining('out of memory') }]);
  expect(opinionsOf(failing)[0]).not.toHaveProperty('verdict');
  expect(failing.end).toMatchObject({ outcome: { kind: 'answered' } });
  expect(await resultOf(failing)).toMatchObject({ opinions_judged: 0, opinions_passed: 0 });
});

it('nobody is asked about an attempt without an answer', async () => {
  await using run = await judged(
    [{ reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'a' } }] } }],
    [verdict('pass', 'x')],
    {
      config: { max_iterations: 1, checks: [rubric] },
    },
  );
  const [opinion] = opinionsOf(run);
  expect(opinion).toMatchObject({ reason: 'There is no answer: the attempt ended with max_iterations.' });
  expect(opinion).not.toHaveProperty('prompt');
  expect(run.fake.chats).toHaveLength(1);
});

it('a forced stop ends the judge’s call, and no opinion is kept', async () => {
  await using run = await judged([says('Paris.')], [{ fault: { kind: 'hang' } }], {
    during: async ({ log, fake }) => {
      await until(log, (events) => events.some(({ type }) => type === 'verification.started'));
      await expect.poll(() => fake.chats.length).toBe(2);
      log.append([{ type: 'stop.requested', force: true, by: 'operator' }]);
    },
  });
  expect(run.of('verification.checked')).toEqual([]);
  expect(run.end).toMatchObject({
    result: { termination_reason: expect.stringMatching(/final_answer|stopped/) },
  });
});

it('a resumed run asks in its own slot', async () => {
  await using run = await judged([says('Paris.')], [verdict('pass', 'Paris is one.')]);
  const cut = run.log.events.findIndex(({ type }) => type === 'verification.started') + 1;
  const taken: string[] = [];
  await using resumed = await judged([says('Paris.')], [verdict('pass', 'Paris is one.')], {
    events: run.log.events.slice(0, cut),
    loop: ({ fake }) => ({
      takeSlot: async () => {
        taken.push(`before call ${fake.chats.length + 1}`);
        return true;
      },
    }),
  });
  expect(taken).toEqual(['before call 1']);
  expect(opinionsOf(resumed)).toMatchObject([{ verdict: 'pass' }]);
  expect(resumed.of('model.load-started')).toHaveLength(run.of('model.load-started').length);
});

it('counts the wait for a slot neither as run time nor as time of the judge', async () => {
  await using run = await judged([says('Paris.')], [verdict('pass', 'Paris is one.')]);
  const cut = run.log.events.findIndex(({ type }) => type === 'verification.started') + 1;
  await using resumed = await judged([says('Paris.')], [verdict('pass', 'Paris is one.')], {
    events: run.log.events.slice(0, cut),
    loop: () => ({ takeSlot: () => new Promise((resolve) => setTimeout(resolve, 20, true)) }),
  });
  const [checked] = resumed.of('verification.checked');
  expect(checked?.waited_ms).toBeGreaterThan(10);
  expect(resumed.log.state.waitedMs).toBe(checked?.waited_ms);
  expect(run.of('verification.checked')[0]).not.toHaveProperty('waited_ms');
});

it('a run without a rubric asks nobody and logs no opinions', async () => {
  await using run = await judged([says('Paris.')], [verdict('pass', 'x')], {
    config: { checks: [{ type: 'answer_contains', text: 'Paris' }] },
  });
  expect(run.fake.chats).toHaveLength(1);
  expect(run.of('verification.checked')[0]).not.toHaveProperty('opinions');
});
