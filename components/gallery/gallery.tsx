'use client';

import Link from 'next/link';
import { useEffect, useState } from 'react';
import { createRunStore, type RunStore } from '#lib/browser/run-store.ts';
import type { RunDelta } from '#lib/events/delta.ts';
import {
  callingLog,
  completedLog,
  endedLog,
  longLog,
  repairedLog,
  runningLog,
  SampleLog,
  verifiedLog,
} from '#lib/testing/sample-logs.ts';
import { RunScreen } from '../run/run-screen.tsx';

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
  repaired: { log: (at) => repairedLog({ at }) },
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

/** A state of a run as the run page shows it, from a log that was written by hand. */
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
  if (scene) return store ? <RunScreen store={store} /> : <main id="main" aria-busy="true" />;
  return (
    <main id="main" className="mx-auto w-full max-w-4xl px-3 py-8 sm:px-6">
      <h1 className="text-xl font-semibold">States of a run</h1>
      <ul className="mt-4 columns-2 gap-8">
        {Object.keys(scenes).map((name) => (
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
