'use client';

import type { ModelPull } from '#lib/api/model-pull.ts';
import { formatBytes, formatDuration, formatPercent } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Clock } from '../ui/clock.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';

/** A pull in progress: percentage, current step, and buttons to cancel or resume it. */
export function PullLine({
  pull,
  onStart,
  onCancel,
}: {
  pull: ModelPull;
  onStart: () => void;
  onCancel: () => void;
}) {
  const { completed_bytes: done = 0, total_bytes: total = 0 } = pull;
  const share = total > 0 ? done / total : 0;
  const seconds = (Date.now() - pull.started_at) / 1000;
  const running = pull.status === 'pulling';
  return (
    <div className="py-2.5" data-pull={pull.status}>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="foreign font-mono text-sm font-medium">
          <ForeignName text={pull.model} />
        </span>
        <span className="foreign min-w-0 text-sm text-ink-2" role="status">
          {running ? <ForeignText text={pull.step} /> : words[pull.status]}
        </span>
        <span className="tnum ml-auto flex items-baseline gap-3 font-mono text-xs text-ink-3">
          {total > 0 && (
            <span>
              {formatBytes(done)} of {formatBytes(total)}
              {running && seconds > 2 && done > 0 && `, ${formatBytes(done / seconds)}/s`}
            </span>
          )}
          {running ? (
            <Clock since={pull.started_at} className="w-10 text-right text-brass" />
          ) : (
            pull.ended_at !== undefined && <span>{formatDuration(pull.ended_at - pull.started_at)}</span>
          )}
          {running ? (
            <Button size="sm" className="font-sans" onClick={onCancel}>
              Cancel
            </Button>
          ) : (
            pull.status !== 'done' && (
              <Button size="sm" className="font-sans" onClick={onStart}>
                Resume
              </Button>
            )
          )}
        </span>
      </div>
      {running && (
        <svg
          viewBox="0 0 480 6"
          preserveAspectRatio="none"
          className="mt-1.5 h-1.5 w-full"
          role="progressbar"
          aria-label={`Pulling ${shortLine(pull.model)}`}
          aria-valuenow={Math.round(share * 100)}
          aria-valuetext={total > 0 ? `${formatPercent(share)} of the parts started so far` : 'not started'}
        >
          <rect x="0" y="2" width="480" height="2" className="fill-line-strong" />
          <rect x="0" y="1" width={480 * share} height="4" className="fill-brass-fill" />
        </svg>
      )}
      {pull.error && (
        <div className="mt-2">
          <ErrorNote error={pull.error} />
        </div>
      )}
    </div>
  );
}

const words = { pulling: '', done: 'is installed', failed: 'could not be pulled', cancelled: 'cancelled' };
