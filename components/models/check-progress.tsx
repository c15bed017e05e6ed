'use client';

import type { CheckProgress as Progress } from '#lib/api/model-check.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { formatDuration } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Clock } from '../ui/clock.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ProbeTicks } from './probe-ticks.tsx';

/** A check in progress or failed, probe by probe, with a stop button. */
export function CheckProgress({ progress, onStop }: { progress: Progress; onStop: () => void }) {
  const { status, probes, error, started_at, ended_at } = progress;
  const done = probes.filter((probe) => probe.status !== 'open' && probe.status !== 'running').length;
  const running = ended_at === undefined;
  return (
    <div
      ref={keepFocus}
      className="mt-1 grid gap-2 rounded-md border bg-sunken px-3 py-2 sm:col-span-2"
      data-check={status}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <span
          role="progressbar"
          aria-label={`Checking ${shortLine(progress.model)}`}
          aria-valuemin={0}
          aria-valuemax={probes.length}
          aria-valuenow={done}
          aria-valuetext={`${done} of ${probes.length} probes`}
        >
          <ProbeTicks states={probes.map((probe) => probe.status)} />
        </span>
        <span className="min-w-0 text-sm text-ink-2" role="status" tabIndex={-1}>
          {statusWords(progress, done)}
        </span>
        <span className="tnum ml-auto flex items-center gap-3 font-mono text-xs text-ink-3">
          {running ? (
            <Clock since={started_at} className="w-10 text-right text-brass" />
          ) : (
            formatDuration(ended_at - started_at)
          )}
          {running && (
            <Button size="sm" className="font-sans" onClick={onStop}>
              Stop
            </Button>
          )}
        </span>
      </div>
      {error && <ErrorNote error={error} />}
    </div>
  );
}

function statusWords({ status, position, probes }: Progress, done: number): string {
  switch (status) {
    case 'waiting':
      return position === undefined ? 'Queued' : `Queued behind runs, position ${position}`;
    case 'loading':
      return 'Loading the model';
    case 'probing': {
      const now = probes.find((probe) => probe.status === 'running');
      return now ? `${done + 1} of ${probes.length}: ${now.title}` : `${done} of ${probes.length}`;
    }
    case 'done':
      return 'Checked';
    case 'failed':
      return `The check ended after ${done} of ${probes.length} probes, without a result`;
    case 'stopped':
      return `Stopped after ${done} of ${probes.length} probes, without a result`;
  }
}
