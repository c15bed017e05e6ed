import { expect, it } from 'vitest';
import type { CallRow } from '../../events/fold-timeline.ts';
import { phasesOf } from './call-phases.ts';

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

it('None of them has 6: each phase of a call with its own time', () => {
  const timings = { loadMs: 2000, promptEvalMs: 1000, evalMs: 6000 };
  expect(times(ended({ timings }))).toEqual([
    ['wait', 1000],
    ['load', 2000],
    ['prompt', 1000],
    ['writing', 6000],
  ]);
});

it('tells thinking from writing by the first word that was heard', () => {
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

it('does not part what nobody measured', () => {
  const timings = { promptEvalMs: 4000, evalMs: 6000 };
  expect(times(ended({ timings, thinking: 'Hm.' }))).toEqual([
    ['prompt', 4000],
    ['reply', 6000],
  ]);
  expect(phasesOf(ended({}))).toEqual([]);
  expect(phasesOf({ ended: undefined })).toEqual([]);
});
