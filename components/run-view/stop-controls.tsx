'use client';

import { useState } from 'react';
import type { StopReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import { whenShown } from '#lib/browser/state/when-shown.ts';
import { waitingWords } from '#lib/browser/words/mode-words.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { Clock } from '../ui/clock.tsx';
import { ErrorLine } from '../ui/error-line.tsx';
import { useRun, useRunSource } from './run-context.tsx';
import { useRunScreen } from './screen-context.ts';

/**
 * Stop in two steps (D12): after the current step, then immediately. The labels follow the log: "requested" until the
 * page has the request as an event, "stopping" until the run is over.
 */
export function StopControls() {
  const source = useRunSource();
  const runId = useRun((view) => view.run.runId);
  const mode = useRun((view) => view.run.config?.mode);
  const over = useRun((view) => view.run.seq === 0 || view.run.phase === 'ended');
  const stop = useRun((view) => view.run.stop);
  const waits = useRun((view) => view.run.phase === 'awaiting-message');
  const [asked, setAsked] = useState<'soft' | 'hard'>();
  const { busy, problem, run } = useRequest();
  const { server } = useRunScreen();
  if (over || !server?.operates) return null;

  // By then, the other stop may have been asked for.
  const end = (how: 'soft' | 'hard') => setAsked((now) => (now === how ? undefined : now));
  const ask = async (how: 'soft' | 'hard') => {
    setAsked(how);
    const isRecorded = await run(async () => {
      const path = `/api/runs/${encodeURIComponent(runId)}/stop`;
      const reply = await postJson<StopReply>(path, { force: how === 'hard' });
      void whenShown(source, reply.run.last_seq).then(() => end(how));
    });
    if (!isRecorded) end(how);
  };
  const hard = stop?.force || asked === 'hard';
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 max-sm:justify-start">
      {problem && <ErrorLine error={problem} />}
      {waits ? (
        <Button size="sm" onClick={() => void ask('soft')} disabled={asked !== undefined}>
          {waitingWords(mode).end}
        </Button>
      ) : stop || asked === 'soft' ? (
        <>
          <span tabIndex={-1} className="tnum text-sm text-ink-2">
            {/* Without the clock, which would be spoken each second. */}
            <span role="status">
              {hard ? 'Stopping now' : stop ? 'Stopping after this step' : 'Stop requested'}
            </span>{' '}
            {stop && <Clock since={stop.at} className="font-mono text-xs text-ink-3" />}
          </span>
          <Button kind="danger" size="sm" onClick={() => void ask('hard')} disabled={hard || busy}>
            Stop now
          </Button>
        </>
      ) : (
        <>
          <Button size="sm" onClick={() => void ask('soft')} disabled={asked !== undefined}>
            Stop after this step
          </Button>
          <Button
            kind="quiet"
            size="sm"
            className="text-fail"
            onClick={() => void ask('hard')}
            disabled={asked !== undefined}
          >
            Stop now
          </Button>
        </>
      )}
    </div>
  );
}
