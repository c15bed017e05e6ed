import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { contextOf } from './state/call-context.ts';

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

it('C11: puts estimate, measure, window and reserve side by side', () => {
  expect(contextOf(callRow(1504, 1520), 16_384)).toEqual({
    requested: 32_768,
    effective: 16_384,
    window: 16_384,
    estimated: 1520,
    evaluated: 1504,
    reserve: 2048,
    missing: undefined,
  });
});

it('C11: alarms when the server read far fewer tokens than were sent', () => {
  expect(contextOf(callRow(4000, 10_000), undefined).missing).toBeCloseTo(0.6);
  expect(contextOf(callRow(7500, 10_000), undefined).missing).toBeUndefined();
  expect(contextOf(callRow(50, 300), undefined).missing).toBeUndefined();
});
