'use client';

import { formatDuration } from '#lib/browser/words/format.ts';
import type { ServerWaitRow as ServerWaitRowData } from '#lib/events/timeline.ts';
import { Clock } from '../../ui/clock.tsx';
import { cx } from '../../ui/cx.ts';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { SecondsUntil } from '../../ui/seconds-until.tsx';
import { useLive } from '../live-context.ts';
import { Figures, RailNode, RowFrame } from './row-frame.tsx';

const ends = {
  back: { title: 'Ollama is back', tone: 'text-ink', bar: 'bg-ink-3' },
  gave_up: { title: 'Ollama did not come back', tone: 'text-fail', bar: 'bg-fail' },
  stopped: { title: 'Stopped while Ollama was down', tone: 'text-warn', bar: 'bg-warn' },
} as const;
const waiting = { title: 'Waiting for Ollama', tone: 'text-warn', bar: 'bg-warn' } as const;

/** A wait for a model server that is down. */
export function ServerWaitRow({ row }: { row: ServerWaitRowData }) {
  const { started, ended, afterFailedCall } = row;
  const { title, tone, bar } = ended ? ends[ended.outcome] : waiting;
  return (
    <RowFrame node={<RailNode shape="bar" className={bar} />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className={cx('font-semibold', tone)}>{title}</span>
        {!afterFailedCall && (
          <ForeignMessage text={started.error.message} className="min-w-0 text-sm text-ink-2" />
        )}
        <Figures>
          {ended ? (
            <span>waited {formatDuration(ended.waited_ms)}</span>
          ) : (
            <Clock since={row.at} className="w-10 text-right text-warn" />
          )}
        </Figures>
      </div>
      {!ended && <WaitProgress limitMs={started.limit_ms} />}
    </RowFrame>
  );
}

function WaitProgress({ limitMs }: { limitMs: number }) {
  const nextTryAt = useLive((live) => live.serverWait?.nextTryAt);
  return (
    <p className="tnum mt-0.5 text-sm text-ink-3">
      {nextTryAt !== undefined && (
        <>
          Next check <SecondsUntil at={nextTryAt} />.{' '}
        </>
      )}
      The run continues when Ollama is back, and fails after {formatDuration(limitMs)}. The wait counts
      neither as run time nor towards a budget.
    </p>
  );
}
