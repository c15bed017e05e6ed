'use client';

import { useEffect, useState } from 'react';
import type { ModelReading } from '#lib/api/model-reading.ts';
import { createRunStore, type RunStore } from '#lib/browser/state/run-store.ts';
import type { RunDelta } from '#lib/events/delta.ts';
import { ladderLog } from '#lib/testing/sample-ladder.ts';
import {
  approvalLog,
  callingLog,
  completedLog,
  endedLog,
  longLog,
  repairedLog,
  runningLog,
  SampleLog,
  verifiedLog,
} from '#lib/testing/sample-logs.ts';
import { exploreLog, sessionLog, stoppedSessionLog } from '#lib/testing/sample-modes.ts';
import { eatenLog, stoppedCallLog, truthLog } from '#lib/testing/sample-truth.ts';
import { ReadingTable } from '../models/reading-table.tsx';
import { RunScreen } from '../run/run-screen.tsx';
import { Link } from '../ui/link.tsx';

interface Scene {
  log: (at: number) => SampleLog;
  deltas?: (log: SampleLog) => RunDelta[];
}

const scenes: Record<string, Scene> = {
  queued: {
    log: (at) => new SampleLog({ at }),
    deltas: () => [{ type: 'queue', position: 3, ahead: ['a', 'b'] }],
  },
  loading: {
    log: (at) => {
      const log = new SampleLog({ at }).prepare();
      log.events.splice(-2);
      return log;
    },
  },
  calling: {
    log: (at) => callingLog({ at }),
    deltas: () => [
      {
        type: 'thinking',
        call: 2,
        offset: 0,
        text: 'There are three reports and a folder with notes. I should read the reports first and only then ',
      },
    ],
  },
  running: {
    log: (at) => runningLog({ at }),
    deltas: () => [
      {
        type: 'tool-output',
        call_id: 'c4',
        offset: 0,
        text: '> test\n> vitest run\n\n ✓ sum.test.js (4 tests) 12ms\n ✓ report.test.js (9 tests) 31ms\n',
      },
    ],
  },
  approval: { log: (at) => approvalLog({ at }) },
  repaired: { log: (at) => repairedLog({ at }) },
  ladder: { log: (at) => ladderLog({ at }) },
  session: {
    log: (at) => sessionLog({ at }),
    deltas: () => [{ type: 'text', call: 5, offset: 0, text: 'I look at the fern bed once more. It needs ' }],
  },
  'session-stopped': { log: (at) => stoppedSessionLog({ at }) },
  explore: { log: (at) => exploreLog(12, { at, open: true }) },
  'explore-200': { log: (at) => exploreLog(200, { at }) },
  truth: { log: (at) => truthLog({ at }) },
  eaten: { log: (at) => eatenLog({ at }) },
  'stopped-call': { log: (at) => stoppedCallLog({ at }) },
  verified: { log: (at) => verifiedLog({ at }) },
  long: { log: (at) => longLog(10_000, { at }) },
  completed: { log: (at) => completedLog({ at }) },
  max_iterations: { log: (at) => endedLog('max_iterations', { at }) },
  repetition: { log: (at) => endedLog('repetition', { at }) },
  stall: { log: (at) => endedLog('stall', { at }) },
  nudge_exhausted: { log: (at) => endedLog('nudge_exhausted', { at }) },
  budget_exceeded: { log: (at) => endedLog('budget_exceeded', { at }) },
  timeout: { log: (at) => endedLog('timeout', { at }) },
  context_full: { log: (at) => endedLog('context_full', { at }) },
  stopped: { log: (at) => endedLog('stopped', { at }) },
  error: { log: (at) => endedLog('error', { at }) },
};

/** A state of a run as the run page shows it, from a handwritten log. */
export function Gallery({ state }: { state: string | undefined }) {
  const scene = state === undefined ? undefined : scenes[state];
  const [store, setStore] = useState<RunStore>();
  useEffect(() => {
    if (!scene) return;
    const log = scene.log(Date.now() - 24_000);
    const made = createRunStore(log.runId, () => () => {}, Date.now);
    made.signal({ type: 'opened' });
    made.receive(log.events);
    for (const delta of scene.deltas?.(log) ?? []) made.receiveDelta(delta);
    made.flush();
    setStore(made);
  }, [scene]);
  if (state === 'reading') return <Reading />;
  if (scene) return store ? <RunScreen store={store} /> : <main id="main" aria-busy="true" />;
  return (
    <main id="main" className="mx-auto w-full max-w-page px-3 py-8 sm:px-6">
      <h1 className="text-xl font-semibold">States of a run</h1>
      <ul className="mt-4 columns-2 gap-8">
        {[...Object.keys(scenes), 'reading'].map((name) => (
          <li key={name}>
            <Link href={`/gallery?state=${name}`} className="text-brass underline underline-offset-2">
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </main>
  );
}

/** Sample counts for the Models page, without installed models. */
function Reading() {
  const reading = (layers: [number, number, number], rest: Partial<ModelReading>): ModelReading => ({
    replies: 0,
    calls: layers[0] + layers[1] + layers[2],
    layers: { native: layers[0], json: layers[1], xml: layers[2] },
    none: 0,
    formats: { native: layers[0] },
    repaired: 0,
    coerced: 0,
    refused: 0,
    malformed: 0,
    ...rest,
  });
  return (
    <main id="main" className="mx-auto w-full max-w-page px-3 py-8 sm:px-6">
      <h1 className="font-semibold">How replies were parsed</h1>
      <ReadingTable
        models={[
          {
            name: 'qwen3:8b',
            demo: false,
            reading: reading([1204, 3, 18], {
              replies: 1310,
              formats: { native: 1204, hermes: 18, 'fenced-json': 3 },
              repaired: 4,
              coerced: 61,
              refused: 2,
              malformed: 1,
            }),
          },
          {
            name: 'qwen2.5-coder:7b',
            demo: false,
            reading: reading([0, 212, 40], {
              replies: 301,
              formats: { 'bare-json': 190, hermes: 40, 'fenced-json': 22 },
              repaired: 37,
              coerced: 18,
              refused: 29,
              malformed: 11,
            }),
          },
          {
            name: 'hf.co/bartowski/a-model-with-a-very-long-name-GGUF:Q4_K_M',
            demo: false,
            reading: reading([0, 0, 0], { replies: 6, none: 6, malformed: 6 }),
          },
          { name: 'loupe-demo', demo: true, reading: reading([2, 1, 1], { replies: 6, coerced: 1 }) },
        ]}
      />
    </main>
  );
}
