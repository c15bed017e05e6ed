import { afterEach, describe, expect, it } from 'vitest';
import { modelCheck } from '../api/model-check.ts';
import { summarizeCheck } from '../api/summarize-check.ts';
import { leakingModel, passingModel } from '../demo/check-scenarios.ts';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { checkModel } from './check-model.ts';
import type { CheckStep } from './check-step.ts';
import { openProbes } from './probes.ts';

let fake: FakeOllama | undefined;
afterEach(() => fake?.close());

async function check(options: FakeOllamaOptions, signal: AbortSignal = new AbortController().signal) {
  fake = await startFakeOllama(options);
  const steps: CheckStep[] = [];
  const checked = await checkModel(createOllamaChatModel({ host: parseOllamaHost(fake.url) }), 'm', {
    signal,
    onStep: (step) => steps.push(step),
  });
  // The stored check must match the schema.
  expect(modelCheck.parse(checked)).toEqual(JSON.parse(JSON.stringify(checked)));
  return { checked, steps, summary: summarizeCheck(checked), fake };
}

const probe = (checked: Awaited<ReturnType<typeof check>>['checked'], id: string) => {
  const found = checked.probes.find((each) => each.id === id);
  if (!found) throw new Error(`no probe ${id}`);
  return found;
};

describe('Model Check', () => {
  it('passes a good model, using the requests of a run at temperature 0 and a bounded window [T3, T20]', async () => {
    const { checked, summary, steps, fake } = await check({
      scenarios: passingModel('m'),
      models: [{ name: 'm', vram_share: 0.5 }],
    });
    expect(summary).toMatchObject({
      model: 'm:latest',
      passed: 10,
      failed: 0,
      unknown: 0,
      calls: 12,
      layers: { native: 12, json: 0, xml: 0 },
      axes: {
        calls: { passed: 9, judged: 9, unknown: 0 },
        choice: { passed: 10, judged: 10, unknown: 0 },
        results: { passed: 3, judged: 3, unknown: 0 },
        stops: { passed: 4, judged: 4, unknown: 0 },
      },
    });
    expect(checked.digest).toMatch(/^[0-9a-f]{64}$/);
    const { size_bytes = 0, vram_bytes, window_tokens } = checked.conditions;
    expect({ share: (vram_bytes ?? 0) / size_bytes, window_tokens }).toEqual({
      share: 0.5,
      window_tokens: 8192,
    });
    expect(checked.measured).toMatchObject({ replies: 15, malformed: 0, formats: { native: 12 } });
    for (const body of fake.chats) {
      expect(body).toMatchObject({
        truncate: false,
        shift: false,
        think: false,
        options: { temperature: 0, seed: 1, num_ctx: 8192, num_predict: 1536 },
      });
    }
    expect(fake.problems).toEqual([]);
    const evidence = probe(checked, 'error').exchanges;
    expect(evidence).toHaveLength(3);
    expect(evidence[1]?.request).toEqual(
      fake.chats.find((body) => JSON.stringify(body) === JSON.stringify(evidence[1]?.request)),
    );
    expect(JSON.stringify(evidence[1]?.request)).toContain('does not exist. The folder has: notes.md.');
    const ended = steps.flatMap((step) => (step.type === 'probe-ended' ? [step.id] : []));
    expect(steps[0]).toEqual({ type: 'loading' });
    expect(ended).toEqual(openProbes().map(({ id }) => id));
  });

  it('counts calls written as text by parser layer and format [P17]', async () => {
    const { summary, checked } = await check({ scenarios: leakingModel('m') });
    expect(summary).toMatchObject({ passed: 10, layers: { native: 0, json: 0, xml: 12 } });
    expect(checked.measured.formats).toEqual({ hermes: 12 });
  });

  it('fails "stops" for a model that always calls tools, and leaves its use of results unknown', async () => {
    const reply = { tool_calls: [{ name: 'read_file', arguments: { path: 'alpha.md' } }] };
    const { summary, checked } = await check({ scenarios: [{ name: 'm', steps: [{ reply }] }] });
    expect(summary.passed).toBe(1);
    expect(probe(checked, 'one-call').verdict).toBe('pass');
    expect(probe(checked, 'no-call').verdict).toBe('fail');
    expect(probe(checked, 'types').criteria).toMatchObject([
      { axis: 'calls', verdict: 'fail', found: 'There is no tool "read_file".' },
      { axis: 'choice', verdict: 'fail' },
    ]);
    expect(probe(checked, 'result').criteria).toMatchObject([
      { axis: 'calls', verdict: 'pass' },
      { axis: 'choice', verdict: 'pass' },
      { axis: 'results', verdict: 'fail' },
      { axis: 'stops', verdict: 'fail', found: expect.stringContaining('It continued.') },
    ]);
    expect(summary.axes.stops).toEqual({ passed: 0, judged: 2, unknown: 2 });
  });

  it('fails "choice" and "stops" for a model that never stops writing', async () => {
    const reply = { content: 'tick tock '.repeat(3000) };
    const { summary, checked } = await check({ scenarios: [{ name: 'm', steps: [{ reply }] }] });
    expect(summary).toMatchObject({ passed: 0, failed: 10, unknown: 0, calls: 0 });
    expect(summary.axes).toMatchObject({
      calls: { passed: 0, judged: 0, unknown: 9 },
      choice: { passed: 1, judged: 10 },
      stops: { passed: 0, judged: 1 },
    });
    expect(probe(checked, 'no-call').criteria[1]).toMatchObject({
      verdict: 'fail',
      found: 'It kept writing until the reply limit.',
    });
  });

  it('counts a call that Ollama rejects as a failed call [T22]', async () => {
    const steps = [{ fault: { kind: 'malformed-call' as const } }];
    const { summary, checked } = await check({ scenarios: [{ name: 'm', steps }] });
    expect(summary).toMatchObject({ passed: 0, failed: 9, unknown: 1 });
    expect(summary.axes.calls).toEqual({ passed: 0, judged: 9, unknown: 0 });
    expect(summary.axes.choice.judged).toBe(0);
    expect(checked.measured).toMatchObject({ replies: 10, malformed: 10 });
    expect(probe(checked, 'one-call').exchanges[0]?.error?.code).toBe('model_malformed_call');
  });

  it('reports nothing about a 10 MB reply and keeps only its start', async () => {
    const steps = [{ fault: { kind: 'huge-line' as const, bytes: 10 * 1024 * 1024 } }];
    const { summary, checked } = await check({ scenarios: [{ name: 'm', steps }] });
    expect(summary).toMatchObject({ passed: 0, failed: 0, unknown: 10 });
    expect(JSON.stringify(checked).length).toBeLessThan(200_000);
  });

  it('reports a template without tool support [K-34]', async () => {
    const { summary } = await check({
      scenarios: [{ name: 'm', steps: [{ reply: { content: 'Hello.' } }] }],
      models: [{ name: 'm', capabilities: ['completion'] }],
    });
    expect(summary).toMatchObject({ passed: 0, failed: 9, unknown: 1, calls: 0 });
  });

  it('ends with an error when the server dies mid-check', async () => {
    fake = await startFakeOllama({ scenarios: passingModel('m') });
    fake.hold('m-probe-3', { turn: 0 });
    const model = createOllamaChatModel({ host: parseOllamaHost(fake.url) });
    const started = checkModel(model, 'm', { signal: new AbortController().signal, onStep: () => undefined });
    started.catch(() => undefined);
    await expect.poll(() => fake?.chats.length).toBe(3);
    await fake.close();
    await expect(started).rejects.toMatchObject({ code: expect.stringMatching(/unreachable/) });
  });

  it('a stop aborts the open call [S14]', async () => {
    const stop = new AbortController();
    const steps = [{ fault: { kind: 'hang' as const } }];
    const started = check({ scenarios: [{ name: 'm', steps }] }, stop.signal);
    started.catch(() => undefined);
    await expect.poll(() => fake?.chats.length ?? 0).toBe(1);
    stop.abort();
    await expect(started).rejects.toMatchObject({ kind: 'aborted' });
    await expect.poll(() => fake?.closeEvents.map(({ path }) => path)).toContain('/api/chat');
  });
});
