import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { SampleLog, sampleFork } from '../../testing/sample-logs.ts';
import { stopLadder } from './stop-ladder.ts';

const ladder = (log: SampleLog) => {
  const rungs = stopLadder(foldTimeline(emptyTimeline, log.events));
  const start = rungs?.[0]?.at ?? 0;
  return rungs?.map(({ id, label, at }) => [id, label, at === undefined ? undefined : at - start]);
};
const aborted = { kind: 'aborted', error: { code: 'model_aborted', message: 'Stopped.' } } as const;
const asked = (force: boolean) => ({ type: 'stop.requested', force, by: 'operator' }) as const;

it('each rung of a stop with when it was reached', () => {
  const log = new SampleLog().prepare().iteration().callStarts();
  log.push(asked(false)).push(asked(true), 900);
  log.callFails({ ...aborted, server_idle_ms: 60 }, 100);
  log.end('stopped', { message: 'Stopped immediately.', forced: true });
  expect(ladder(log)).toEqual([
    ['asked', 'Stop requested', 0],
    ['forced', 'Immediate stop requested', 900],
    ['acknowledged', 'Connection to Ollama closed', 940],
    ['idle', 'Ollama idle (/api/ps)', 1000],
    ['over', 'Run ended', 1004],
  ]);
});

it('says when the model had to be unloaded to free its slot [S14]', () => {
  const log = new SampleLog().prepare().iteration().callStarts();
  log.push(asked(true)).callFails({ ...aborted, server_idle_ms: 3200, freed_slot: true }, 3300);
  log.end('stopped', { message: 'Stopped immediately.', forced: true });
  expect(ladder(log)?.map(([, label]) => label)).toContain('Slot freed by unloading the model');
});

it('gives separate times for the closed connection, the idle server and the freed slot', () => {
  const log = new SampleLog().prepare().iteration().callStarts().push(asked(true));
  const ended = { server_idle_ms: 80, freed_slot: true, cleanup_ms: 3280 };
  log
    .callFails({ ...aborted, ...ended }, 3300)
    .end('stopped', { message: 'Stopped immediately.', forced: true });
  expect(ladder(log)).toEqual([
    ['asked', 'Immediate stop requested', 0],
    ['acknowledged', 'Connection to Ollama closed', 20],
    ['idle', 'Ollama idle (/api/ps)', 100],
    ['freed', 'Slot freed by unloading the model', 3300],
    ['over', 'Run ended', 3304],
  ]);
});

it('gives the time of the closed connection even if Ollama was not seen to be idle', () => {
  const log = new SampleLog().prepare().iteration().callStarts().push(asked(true));
  log.callFails({ ...aborted, cleanup_ms: 1002 }, 1010);
  expect(ladder(log)?.[1]).toEqual(['acknowledged', 'Connection to Ollama closed', 8]);
});

it('gives no time for steps not reached yet', () => {
  const log = new SampleLog().prepare().iteration().callStarts();
  expect(ladder(log)).toBeUndefined();
  log.push(asked(false));
  expect(ladder(log)).toEqual([
    ['asked', 'Stop requested', 0],
    ['acknowledged', 'Reply in progress', undefined],
    ['over', 'Run ended', undefined],
  ]);
});

it('claims no idle server that was not observed, and no step if none was in progress', () => {
  const log = new SampleLog().push(asked(true)).end('stopped', { message: 'Stopped.' });
  expect(ladder(log)?.map(([id]) => id)).toEqual(['asked', 'over']);
  const late = new SampleLog().prepare().iteration().callStarts().push(asked(true)).callFails(aborted, 30);
  expect(ladder(late)?.map(([id]) => id)).toEqual(['asked', 'acknowledged', 'over']);
});

it('leaves out a stop of the run that a fork was taken from', () => {
  const log = new SampleLog().prepare().iteration().callStarts().push(asked(false));
  log
    .push(sampleFork({ run_id: 'other', seq: log.events.length }))
    .iteration()
    .callStarts();
  expect(ladder(log)).toBeUndefined();
  log.push(asked(true)).callFails(aborted, 30);
  expect(ladder(log)?.map(([id]) => id)).toEqual(['asked', 'acknowledged', 'over']);
});
