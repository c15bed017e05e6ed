import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { summarizeCheck } from '../../lib/api/summarize-check.ts';
import { adviceOf } from '../../lib/browser/words/check-words.ts';
import { checkModel } from '../../lib/checks/check-model.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
beforeAll(async () => {
  ollama = await startOllama();
});
afterAll(() => ollama?.stop());

async function check(name: string) {
  const model = createOllamaChatModel({ host: parseOllamaHost(ollama.url) });
  return checkModel(model, name, { signal: new AbortController().signal, onStep: () => undefined });
}

describe('Model Check of a real model', () => {
  it('runs to its end, and judges only what the model did', async () => {
    const checked = await check('tiny-tools');
    const summary = summarizeCheck(checked);
    expect(checked.probes).toHaveLength(10);
    expect(checked.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(checked.conditions).toMatchObject({
      capabilities: expect.arrayContaining(['tools']),
      context_tokens: 8192,
    });
    expect(checked.measured.timed_tokens).toBeGreaterThan(0);
    expect(checked.measured.eval_ms).toBeGreaterThan(0);
    expect(summary.layers).toEqual({ native: summary.calls, json: 0, xml: 0 });
    const verdicts = (id: string) =>
      Object.fromEntries(
        checked.probes
          .find((probe) => probe.id === id)
          ?.criteria.map(({ axis, verdict }) => [axis, verdict]) ?? [],
      );
    // The model's abilities from training; it never uses the content of a result (README.md).
    expect(verdicts('one-call')).toEqual({ calls: 'pass', choice: 'pass' });
    expect(verdicts('types')).toEqual({ calls: 'unknown', choice: 'fail' });
    expect(verdicts('no-call')).toEqual({ choice: 'pass', stops: 'pass' });
    expect(verdicts('result')).toEqual({ calls: 'pass', choice: 'pass', results: 'fail', stops: 'pass' });
    expect(adviceOf(checked).at(-1)?.text).toContain('were not tested');
  });

  it('reports that Ollama accepts no tools for a model whose template has none', async () => {
    const checked = await check('tiny-plain');
    expect(summarizeCheck(checked)).toMatchObject({ passed: 0, calls: 0 });
    expect(adviceOf(checked)[0]?.text).toContain('Ollama rejects tools for this model');
  });
});
