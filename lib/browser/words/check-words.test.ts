import { describe, expect, it } from 'vitest';
import type { CheckMeasured, ModelCheck } from '../../api/model-check.ts';
import { summarizeCheck, verdictOf } from '../../api/summarize-check.ts';
import { sampleCheck } from '../../testing/sample-check.ts';
import { adviceOf, badgeWords, checkTone, gpuShare, measuredFacts, scoreWords } from './check-words.ts';

const sample = sampleCheck();
const measured = (change: Partial<CheckMeasured>) =>
  sampleCheck({ measured: { ...sample.measured, ...change } });
const conditions = (change: Partial<ModelCheck['conditions']>) =>
  sampleCheck({ conditions: { ...sample.conditions, ...change } });
const texts = (check: ModelCheck) => adviceOf(check).map(({ text }) => text);

describe('Model Check, in words', () => {
  it('says how many probes passed and in which format calls came', () => {
    expect(badgeWords(summarizeCheck(sample))).toBe('8 of 10 · 12 native');
    const layers = { native: 0, json: 2, xml: 4 };
    expect(badgeWords({ passed: 1, failed: 0, unknown: 0, layers })).toBe('1 of 1 · 6 as text');
    expect(badgeWords({ passed: 1, failed: 1, unknown: 1, layers: { ...layers, native: 3 } })).toBe(
      '1 of 3 · 3 native, 6 as text',
    );
    expect(badgeWords({ passed: 0, failed: 0, unknown: 1, layers: { native: 0, json: 0, xml: 0 } })).toBe(
      '0 of 1 · no calls',
    );
    const tone = (passed: number, failed: number, unknown: number) => checkTone({ passed, failed, unknown });
    expect([tone(10, 0, 0), tone(9, 1, 0), tone(9, 0, 1), tone(5, 5, 0), tone(4, 5, 1)]).toEqual([
      ...['ok', 'calm', 'calm', 'calm', 'warn'],
    ]);
  });

  it('scores an axis as k of n, and says when there is not enough data', () => {
    expect(summarizeCheck(sample).axes.results).toEqual({ passed: 2, judged: 2, unknown: 1 });
    expect(scoreWords({ passed: 2, judged: 3, unknown: 1 })).toBe('2 of 3');
    expect(scoreWords({ passed: 0, judged: 0, unknown: 9 })).toBe('not enough data');
    expect(verdictOf([])).toBe('unknown');
  });

  it('advises by the calls: native, as text, some of each, unreadable, none', () => {
    expect(texts(sample)[0]).toBe('All 12 calls came natively.');
    expect(
      texts(measured({ calls: 6, layers: { native: 0, json: 0, xml: 6 }, formats: { hermes: 6 } }))[0],
    ).toBe('All 6 calls came as text (hermes); other apps may miss them.');
    expect(
      texts(
        measured({ layers: { native: 8, json: 1, xml: 3 }, formats: { native: 8, json: 1, hermes: 3 } }),
      )[0],
    ).toBe('4 of 12 calls came as text (json, hermes); other apps may miss them.');
    expect(texts(measured({ malformed: 1 })).join()).toContain(
      '1 reply contained a call that could not be parsed.',
    );
    expect(texts(conditions({ capabilities: ['completion'] })).join()).toContain(
      'does not list the capability',
    );
  });

  it('names the share outside the GPU with the window it was measured at [OL6]', () => {
    expect(texts(sample).join('\n')).toContain(
      '48% of the model (3.0 GB) is not on the GPU with a window of 8,192 tokens and ',
    );
    expect(texts(conditions({ vram_bytes: 0 })).join('\n')).toContain('It runs entirely on the CPU');
    expect(texts(conditions({ vram_bytes: 6_200_000_000 })).join('\n')).not.toMatch(/GPU|CPU/);
    expect(texts(conditions({ vram_bytes: undefined })).join('\n')).not.toMatch(/GPU|CPU/);
    expect(gpuShare({ ...sample.conditions, size_bytes: 0 })).toBeUndefined();
  });

  it('claims no figure that was not reported', () => {
    const facts = (check: ModelCheck) =>
      Object.fromEntries(measuredFacts(check).map(({ name, value }) => [name, value]));
    expect(facts(sample)).toEqual({
      Load: '8.4 s',
      Speed: '41 tokens/s over 640 tokens',
      'On the GPU': '52%',
      'Call formats': '12 native',
      'Declares tool support': 'yes',
      Thought: 'never',
    });
    expect(facts(measured({ timed_tokens: 0, eval_ms: 0, calls: 0, formats: {} }))).toMatchObject({
      Speed: 'unknown',
      'Call formats': 'none',
    });
    expect(facts(measured({ formats: { native: 8, json: 1, hermes: 3 } }))).toMatchObject({
      'Call formats': '8 native, 1 JSON in text, 3 hermes',
    });
    expect(
      facts(conditions({ load_ms: undefined, vram_bytes: undefined, capabilities: undefined })),
    ).toMatchObject({
      Load: 'already loaded',
      'On the GPU': 'unknown',
      'Declares tool support': 'unknown',
    });
    expect(facts(measured({ thinking_replies: 3, thinking_chars: 4001 })).Thought).toBe(
      'in 3 of 15 replies, about 1,001 tokens',
    );
  });

  it('links its advice to the relevant probes, and says what was not tested', () => {
    const advice = adviceOf(sample);
    expect(advice.find(({ probes }) => probes[0] === 'two-calls')).toMatchObject({ tone: 'calm' });
    expect(advice.find(({ text }) => text.includes('could not be judged'))).toMatchObject({
      probes: ['error'],
      text: '1 probe could not be judged. Ollama per-call timeout: no complete reply within 90 s.',
    });
    expect(advice.at(-1)?.text).toContain('Long tasks and full windows were not tested.');
    const known = new Set(sample.probes.map(({ id }) => id));
    expect(advice.flatMap(({ probes }) => probes).every((id) => known.has(id))).toBe(true);
  });

  it('says only that a model failed most probes', () => {
    const probes = sample.probes.map((probe) => ({ ...probe, verdict: 'fail' as const }));
    const advice = adviceOf(sampleCheck({ probes }));
    const failed = advice.find(({ text }) => text.includes('It failed 10 of 10 probes'));
    expect(failed?.tone).toBe('warn');
    expect(advice.some(({ text }) => text.includes('list of objects'))).toBe(false);
  });

  it('says how long a slow model takes', () => {
    expect(texts(measured({ timed_tokens: 100, eval_ms: 50_000 })).join()).toContain(
      '2.0 tokens per second: a reply of 500 tokens takes 4:10.',
    );
  });
});
