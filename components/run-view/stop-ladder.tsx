import { formatDuration } from '#lib/browser/words/format.ts';
import { stopLadder } from '#lib/browser/words/stop-ladder.ts';
import type { Timeline } from '#lib/events/timeline.ts';
import { cx } from '../ui/cx.ts';

/** A stop, step by step, each with the time since the previous step. */
export function StopLadder({ timeline }: { timeline: Timeline }) {
  const rungs = stopLadder(timeline);
  if (!rungs) return null;
  return (
    <section aria-label="How it was stopped" className="mt-4">
      <h3 className="caption">How it was stopped</h3>
      <ol className="mt-1.5 flex flex-wrap gap-y-2 text-sm max-sm:flex-col">
        {rungs.map((rung, index) => {
          const before = rungs[index - 1]?.at;
          const took = rung.at !== undefined && before !== undefined ? rung.at - before : undefined;
          return (
            <li key={rung.id} className="flex items-center" data-rung={rung.id}>
              {index > 0 && (
                <span className="tnum mx-2 flex items-center max-sm:ml-0 gap-1.5 font-mono text-2xs text-ink-3">
                  <span aria-hidden="true" className="h-px w-4 bg-line-strong" />
                  {took === undefined ? '…' : formatDuration(took)}
                  <span aria-hidden="true" className="h-px w-4 bg-line-strong" />
                </span>
              )}
              <span
                aria-hidden="true"
                className={cx(
                  'mr-1.5 size-1.5 rounded-full',
                  rung.at === undefined ? 'border border-ink-3' : 'bg-ink-2',
                )}
              />
              {rung.label}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
