'use client';

import type { StopReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import { whenShown } from '#lib/browser/state/when-shown.ts';
import { formatDuration } from '#lib/browser/words/format.ts';
import { SETTINGS } from '#lib/events/settings.ts';
import { plural } from '#lib/util/numbers.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useRun, useRunSource } from '../run-view/run-context.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorLine } from '../ui/error-line.tsx';

/** Whether the session continues by itself, and within which limits; can be switched while it runs. */
export function AutopilotSwitch() {
  const source = useRunSource();
  const runId = useRun((view) => view.run.runId);
  const on = useRun((view) => view.run.autopilot.on);
  const waits = useRun((view) => view.run.phase === 'awaiting-message');
  const turns = useRun((view) => view.run.config?.autopilot_turns);
  const seconds = useRun((view) => view.run.config?.autopilot_seconds);
  const { busy, problem, run } = useRequest();
  const limits = [
    turns === undefined ? '' : plural(turns, 'turn'),
    seconds === undefined ? '' : formatDuration(seconds * 1000),
  ].filter(Boolean);
  const change = (next: boolean) =>
    void run(async () => {
      const path = `/api/runs/${encodeURIComponent(runId)}/autopilot`;
      const reply = await postJson<StopReply>(path, { on: next });
      await whenShown(source, reply.run.last_seq);
    });
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-2">
      {problem && <ErrorLine error={problem} />}
      {on && waits && (
        <button
          type="button"
          disabled={busy}
          onClick={() => change(true)}
          className="reach font-medium text-brass underline-offset-4 hover:underline"
        >
          Continue on autopilot
        </button>
      )}
      <button
        type="button"
        role="switch"
        aria-checked={on}
        disabled={busy}
        title={`${SETTINGS.autopilot.help}${limits.length > 0 ? ` At most ${limits.join(' or ')} at a time.` : ''}`}
        onClick={() => change(!on)}
        className="reach flex min-h-6 items-center gap-2 font-medium hover:text-ink"
      >
        <span
          className={cx(
            'relative h-4 w-7 shrink-0 rounded-full border transition-colors',
            on ? 'border-brass-fill bg-brass-fill' : 'border-line-strong bg-sunken',
          )}
          aria-hidden="true"
        >
          <span
            className={cx(
              'absolute top-1/2 size-2.5 -translate-y-1/2 rounded-full transition-[left]',
              on ? 'left-3.5 bg-surface' : 'left-0.5 bg-ink-3',
            )}
          />
        </span>
        {SETTINGS.autopilot.label}
      </button>
    </span>
  );
}
