import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { emptyRunState } from '../../events/run-state.ts';
import type { CallRow } from '../../events/timeline.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import { contextOf } from './call-context.ts';

/** A run on a server of this version whose model was loaded with this window. */
function runOn(version: string, window: number) {
  const log = new SampleLog().prepare();
  for (const event of log.events) {
    if (event.type === 'preflight.checked') event.server_version = version;
    if (event.type === 'model.loaded') event.context_tokens = window;
  }
  return foldAll(emptyRunState('sample'), log.events);
}

function callRow(promptTokens: number, estimated: number) {
  const log = new SampleLog().prepare().iteration().callStarts().reply({ text: 'Done.' });
  for (const event of log.events) {
    if (event.type === 'model-call.started') event.estimated_tokens = estimated;
    if (event.type === 'model-call.ended') event.prompt_tokens = promptTokens;
  }
  const row = foldTimeline(emptyTimeline, log.events).rows.find(({ kind }) => kind === 'call');
  if (row?.kind !== 'call') throw new Error('The sample log has a call.');
  return row;
}

it('shows estimate, measurement, window and reserve side by side [C11]', () => {
  expect(contextOf(callRow(1504, 1520), runOn('0.17.4', 16_384))).toEqual({
    requested: 32_768,
    effective: 16_384,
    window: 16_384,
    estimated: 1520,
    evaluated: 1504,
    reserve: 2048,
    fate: undefined,
    missing: undefined,
  });
});

it('reports a cut only if the server truncates silently (C11)', () => {
  const old = runOn('0.12.5', 8192);
  expect(contextOf(callRow(4000, 10_000), old)).toMatchObject({ fate: 'cut', missing: 0.6 });
  expect(contextOf(callRow(4000, 10_000), runOn('0.17.4', 8192)).fate).toBe('fewer');
  expect(contextOf(callRow(7500, 8000), old)).toMatchObject({ fate: undefined, missing: undefined });
  expect(contextOf(callRow(50, 300), old).fate).toBeUndefined();
  const { started } = callRow(4000, 10_000);
  const failed = { prompt_tokens: 4000 } as CallRow['failed'];
  expect(contextOf({ started, failed }, old)).toMatchObject({ evaluated: 4000, fate: undefined });
});
