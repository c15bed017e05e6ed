'use client';

import { useStore } from 'zustand';
import { activityOf } from '#lib/browser/activity.ts';
import { formatDuration, formatWhen } from '#lib/browser/format.ts';
import { useNow } from '../hooks/use-now.ts';
import { Clock } from '../ui/clock.tsx';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { toneText } from '../ui/tone.ts';
import { ConnectionLight } from './connection-light.tsx';
import { useRun, useRunScreen } from './run-context.tsx';
import { StopControls } from './stop-controls.tsx';

/** What this run is, what it is doing now, and how to stop it. */
export function RunHeader({ onGoToEnd }: { onGoToEnd: () => void }) {
  const config = useRun((view) => view.run.config);
  const createdAt = useRun((view) => view.run.createdAt);
  const now = useNow(createdAt > 0);
  const title = config ? (config.task.trim().split('\n', 1)[0] ?? '') : '';
  return (
    <div className="border-b bg-surface">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-2 px-3 py-3 sm:px-6">
        <div className="min-w-0 flex-1 basis-80">
          <h1
            className="foreign line-clamp-1 text-lg font-semibold tracking-[-0.012em] sm:line-clamp-2"
            title={title}
          >
            {title ? <ForeignText text={title} /> : <span className="text-ink-3">Opening the run</span>}
          </h1>
          <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-ink-3">
            <ConnectionLight />
            {config && (
              <>
                <span className="font-mono text-xs text-ink-2">
                  <ForeignText text={config.model} />
                </span>
                {config.workspace && (
                  <span
                    className="max-w-80 truncate font-mono text-xs max-sm:hidden"
                    title={config.workspace}
                  >
                    <ForeignText text={config.workspace} />
                  </span>
                )}
                <span className="max-sm:hidden">{formatWhen(createdAt, now)}</span>
              </>
            )}
          </p>
        </div>
        <div className="flex shrink-0 flex-wrap items-center justify-end gap-x-5 gap-y-2 max-sm:w-full max-sm:justify-between">
          <Phase onGoToEnd={onGoToEnd} />
          <StopControls />
        </div>
      </div>
    </div>
  );
}

function Phase({ onGoToEnd }: { onGoToEnd: () => void }) {
  const { store } = useRunScreen();
  const run = useRun((view) => view.run);
  // Only whether something is being written matters here, not what: no work per token.
  const writing = useStore(store.live, (live) =>
    live.text?.text ? 'text' : live.thinking?.text ? 'thinking' : '',
  );
  const queue = useStore(store.live, (live) => live.queue);
  if (run.seq === 0) return null;
  const activity = activityOf(run, { ...store.live.getState(), queue });
  const spent = run.startedAt === undefined ? 0 : run.updatedAt - run.startedAt;
  return (
    <div className="flex items-center gap-3 text-right" data-phase={run.phase} data-writing={writing}>
      <div className="min-w-0">
        {activity.running ? (
          <p className={cx('font-semibold', toneText[activity.tone])}>{activity.label}</p>
        ) : (
          <button
            type="button"
            onClick={onGoToEnd}
            className={cx('font-semibold underline-offset-4 hover:underline', toneText[activity.tone])}
          >
            {activity.label}
          </button>
        )}
        <p className="max-w-64 truncate text-xs text-ink-3">
          {activity.detail ? (
            <ForeignText text={activity.detail} />
          ) : activity.running ? (
            'in this phase for'
          ) : (
            'in'
          )}
        </p>
      </div>
      <span className="tnum min-w-16 font-mono text-xl tracking-tight">
        {activity.running ? <Clock since={activity.since} /> : formatDuration(spent)}
      </span>
    </div>
  );
}
