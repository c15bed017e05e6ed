'use client';

import { useState } from 'react';
import { postJson } from '#lib/browser/api.ts';
import { waitingWords } from '#lib/browser/words/mode-words.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { Clock } from '../ui/clock.tsx';
import { ErrorLine } from '../ui/error-line.tsx';
import { useRun } from './run-context.tsx';
import { useRunScreen } from './screen-context.ts';

/**
 * Stop in two steps (D12): after the current step, then immediately. The labels follow the log: "requested" until the
 * server has recorded the request, "stopping" until the run is over.
 */
export function StopControls() {
  const runId = useRun((view) => view.run.runId);
  const mode = useRun((view) => view.run.config?.mode);
  const over = useRun((view) => view.run.seq === 0 || view.run.phase === 'ended');
  const stop = useRun((view) => view.run.stop);
  const waits = useRun((view) => view.run.phase === 'awaiting-message');
  const [asked, setAsked] = useState<'soft' | 'hard'>();
  const { problem, run } = useRequest();
  const { server } = useRunScreen();
  if (over || !server?.operates) return null;

  const ask = async (how: 'soft' | 'hard') => {
    setAsked(how);
    await run(() => postJson(`/api/runs/${encodeURIComponent(runId)}/stop`, { force: how === 'hard' }));
    setAsked(undefined);
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
          <Button
            kind="danger"
            size="sm"
            onClick={() => void ask('hard')}
            disabled={hard || asked !== undefined}
          >
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
