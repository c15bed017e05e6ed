import { expect, it } from 'vitest';
import type { CallRow } from '../../events/timeline.ts';
import { phasesOf, promptReading, replyRate } from './call-phases.ts';

type Ended = NonNullable<CallRow['ended']>;
const ended = (
  change: Partial<Pick<Ended, 'duration_ms' | 'timings' | 'heard'>> & { thinking?: string },
): Pick<CallRow, 'ended'> => ({
  ended: {
    run_id: 'r',
    seq: 9,
    at: 0,
    type: 'model-call.ended',
    call: 1,
    message: { role: 'assistant', content: 'Yes.', thinking: change.thinking },
    duration_ms: change.duration_ms ?? 10_000,
    timings: change.timings ?? {},
    heard: change.heard,
  },
});
const times = (row: Pick<CallRow, 'ended'>) => phasesOf(row).map(({ kind, ms }) => [kind, Math.round(ms)]);

it('shows each phase of a call with its time', () => {
  const timings = { loadMs: 2000, promptEvalMs: 1000, evalMs: 6000 };
  expect(times(ended({ timings }))).toEqual([
    ['wait', 1000],
    ['load', 2000],
    ['prompt', 1000],
    ['writing', 6000],
  ]);
});

it('separates thinking from writing by the time of the first word', () => {
  const timings = { promptEvalMs: 4000, evalMs: 6000 };
  const heard = { thinking_ms: 4000, text_ms: 8000 };
  expect(times(ended({ timings, heard, thinking: 'Hm.' }))).toEqual([
    ['prompt', 4000],
    ['thinking', 4000],
    ['writing', 2000],
  ]);
  expect(times(ended({ timings, heard: { thinking_ms: 4000 }, thinking: 'Hm.' }))).toEqual([
    ['prompt', 4000],
    ['thinking', 6000],
  ]);
});

it('does not split a time that was not measured', () => {
  const timings = { promptEvalMs: 4000, evalMs: 6000 };
  expect(times(ended({ timings, thinking: 'Hm.' }))).toEqual([
    ['prompt', 4000],
    ['reply', 6000],
  ]);
  expect(phasesOf(ended({}))).toEqual([]);
  expect(phasesOf({ ended: undefined })).toEqual([]);
});

const read = (change: Partial<Ended>, afterLoad?: boolean) =>
  promptReading({ ...withEnd(change), ...(afterLoad ? { afterLoad } : {}) });
function withEnd(change: Partial<Ended>): Pick<CallRow, 'ended'> {
  const row = ended({ timings: { promptEvalMs: 10, evalMs: 1000 } });
  return { ended: row.ended && { ...row.ended, ...change } };
}

it('gives no prompt speed where part of the prompt may have been cached (OL17)', () => {
  expect(read({ prompt_tokens: 1970 })).toEqual({ tokens: 1970, cached: undefined, rate: undefined });
  expect(read({})).toBeUndefined();
});

it('gives the prompt speed of the tokens that were read', () => {
  expect(read({ prompt_tokens: 1970 }, true)).toEqual({ tokens: 1970, cached: 0, rate: 197_000 });
  expect(read({ prompt_tokens: 1970, cached_tokens: 1950 })).toEqual({
    tokens: 1970,
    cached: 1950,
    rate: 2000,
  });
  expect(read({ prompt_tokens: 1970, cached_tokens: 1969 })?.rate).toBeUndefined();
  // Hostile: more cached than there were.
  expect(read({ prompt_tokens: 10, cached_tokens: 20 })).toMatchObject({
    cached: undefined,
    rate: undefined,
  });
});

it('gives no reply speed from one token', () => {
  expect(replyRate(withEnd({ reply_tokens: 1 }))).toBeUndefined();
  expect(replyRate(withEnd({ reply_tokens: 50 }))).toBe(50);
});
