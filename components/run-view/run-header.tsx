'use client';

import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { activityOf } from '#lib/browser/state/activity.ts';
import { isDemoRun } from '#lib/browser/state/models.ts';
import { DURATION_HINT } from '#lib/browser/words/duration-hint.ts';
import { formatClock, formatDuration, formatMoment, formatWhen } from '#lib/browser/words/format.ts';
import { extentWords, modeBesideTitle, runTitle, stepWord } from '#lib/browser/words/mode-words.ts';
import { readingWords } from '#lib/browser/words/parse-ladder.ts';
import { plainVisibleLine, withoutLineBreaks } from '#lib/browser/words/visible-text.ts';
import { modeFacts } from '#lib/events/modes.ts';
import type { RunState } from '#lib/events/run-state.ts';
import { stepOf } from '#lib/events/step-of.ts';
import { workedMs } from '#lib/events/worked-ms.ts';
import { useNow } from '../hooks/use-now.ts';
import { Badge } from '../ui/badge.tsx';
import { Clock } from '../ui/clock.tsx';
import { cx } from '../ui/cx.ts';
import { Expected } from '../ui/expected.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { ShowAll } from '../ui/show-all.tsx';
import { toneText } from '../ui/tone.ts';
import { ConnectionLight } from './connection-light.tsx';
import { PromptProgress } from './prompt-progress.tsx';
import { useRun, useRunSource } from './run-context.tsx';
import { useOperatorWord, useRunScreen } from './screen-context.ts';
import { StopControls } from './stop-controls.tsx';

/** The run's title, current activity and stop controls. */
export function RunHeader({
  onGoToEnd,
  light = <ConnectionLight />,
  when = formatWhen,
  heading,
  titleEnd,
  end,
}: {
  onGoToEnd: () => void;
  /** How the page is connected to the run. */
  light?: ReactNode;
  /** When the run was created, as text; both in milliseconds since 1970. */
  when?: (at: number, now: number) => string;
  /** In place of the title: another one, or a field to edit it. */
  heading?: string | ReactElement | undefined;
  /** A control beside the title. */
  titleEnd?: ReactNode;
  /** The last control, after the stop buttons. */
  end?: ReactNode;
}) {
  const config = useRun((view) => view.run.config);
  const createdAt = useRun((view) => view.run.createdAt);
  const now = useNow(createdAt > 0);
  const { server } = useRunScreen();
  const controls = useKeptWidth();
  const title = runTitle(config);
  const mode = config && modeBesideTitle(config, title);
  return (
    <div className="border-b bg-surface">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-1.5 px-3 py-2.5 sm:px-6 sm:py-3">
        <div className="min-w-0 flex-1 basis-80">
          {heading === undefined || typeof heading === 'string' ? (
            <Title text={heading ?? title} end={titleEnd} />
          ) : (
            heading
          )}
          <p className="mt-0.5 flex min-h-5 items-center gap-x-3 gap-y-0.5 text-sm text-ink-3 max-sm:flex-wrap sm:*:shrink-0 print:flex-wrap print:*:max-w-full">
            {light}
            {config && (
              <>
                {mode && <span>{mode}</span>}
                <span
                  className="foreign min-w-0 font-mono text-xs text-ink-2 sm:max-w-72 sm:truncate"
                  title={plainVisibleLine(config.model)}
                >
                  <ForeignName text={config.model} max={60} />
                </span>
                {isDemoRun(config.model) && (
                  <Badge tone="live" title="A script, not a language model; its tool calls are real">
                    demo script
                  </Badge>
                )}
                {config.workspace && (
                  <span
                    className="min-w-16 max-w-80 truncate font-mono text-xs max-sm:hidden sm:shrink-9999!"
                    title={plainVisibleLine(config.workspace)}
                  >
                    <ForeignText text={withoutLineBreaks(config.workspace)} />
                  </span>
                )}
                <span className="max-sm:hidden print:hidden">{when(createdAt, now)}</span>
                <span className="hidden print:inline">{formatMoment(createdAt)}</span>
                <Reading />
              </>
            )}
          </p>
          {server?.family}
        </div>
        <div
          ref={controls.element}
          style={controls.style}
          className="flex shrink-0 flex-wrap items-center justify-end gap-x-5 gap-y-2 max-sm:w-full max-sm:gap-y-3 max-sm:justify-between"
        >
          <Phase onGoToEnd={onGoToEnd} followed={controls.followed} />
          <StopControls />
          {end}
        </div>
      </div>
    </div>
  );
}

const MAX_TITLE_CHARS = 160;

function Title({ text, end }: { text: string; end: ReactNode }) {
  const [whole, setWhole] = useState(false);
  const line = withoutLineBreaks(text);
  return (
    <div className="flex items-baseline gap-x-3">
      <h1
        className={cx(
          'foreign min-w-0 text-lg font-semibold tracking-[-0.012em]',
          whole ? 'max-h-[30dvh] overflow-y-auto' : 'line-clamp-1 sm:line-clamp-2',
        )}
        title={plainVisibleLine(text)}
      >
        {line ? <ForeignText text={line} /> : <span className="text-ink-3">Opening the run…</span>}
      </h1>
      {line.length > MAX_TITLE_CHARS && <ShowAll whole={whole} onChange={setWhole} />}
      {line && end}
    </div>
  );
}

/** How many calls were read out of the replies, and how (P17). */
function Reading() {
  const words = useRun((view) => readingWords(view.run.parsed));
  return words === undefined ? null : (
    <span className="tnum min-w-0 truncate max-md:hidden sm:shrink!" title={words}>
      {words}
    </span>
  );
}

/**
 * Keeps the controls as wide as they have been while the page followed the run, so that its title does not wrap
 * differently in another phase or after the end, and the rows stay where they are.
 */
function useKeptWidth() {
  const follows = useRun(({ connection, run }) => connection.status === 'live' && run.phase !== 'ended');
  const [width, setWidth] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => keepFocus(element.current), []);
  useEffect(() => {
    const { current } = element;
    if (!follows || !current) return;
    const observer = new ResizeObserver(() => {
      const now = current.getBoundingClientRect().width;
      setWidth((before) => Math.max(before, now));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [follows]);
  return {
    element,
    followed: width > 0,
    style: width > 0 ? { minWidth: `min(100%, ${width}px)` } : undefined,
  };
}

function Phase({
  onGoToEnd,
  followed,
}: {
  onGoToEnd: () => void;
  /** Whether the page has followed the run: then this keeps the separate row that it had before the end. */
  followed: boolean;
}) {
  const store = useRunSource();
  const run = useRun((view) => view.run);
  // Only whether text is in progress matters here, so tokens cause no renders.
  const writing = useStore(store.live, (live) =>
    live.text?.text ? 'text' : live.thinking?.text ? 'thinking' : '',
  );
  const queue = useStore(store.live, (live) => live.queue);
  const openCall = useRun(({ timeline }) => timeline.rows[timeline.open.call]);
  const operator = useOperatorWord();
  if (run.seq === 0) return null;
  const activity = activityOf(run, { ...store.live.getState(), queue }, operator);
  const reading = run.openCall?.stream && !writing && openCall?.kind === 'call' ? openCall : undefined;
  return (
    <div
      className={cx(
        'flex min-w-0 items-center gap-3 max-sm:flex-row-reverse lg:text-right',
        // On a phone, the stop controls take the next row.
        (activity.running || followed) && 'max-sm:basis-full max-sm:justify-end',
      )}
      data-phase={run.phase}
      data-writing={writing}
    >
      {/* The same width in every phase; otherwise the title would wrap differently in each. */}
      <div className={cx('min-w-0', activity.running && 'lg:w-52')}>
        {activity.running ? (
          <p className={cx('font-semibold', toneText[activity.tone])}>{activity.label}</p>
        ) : (
          <button
            type="button"
            onClick={onGoToEnd}
            className={cx('reach font-semibold underline-offset-4 hover:underline', toneText[activity.tone])}
          >
            {activity.label}
          </button>
        )}
        <p className="max-w-64 truncate text-xs text-ink-3 max-sm:hidden" title={activity.detail}>
          {activity.detail ? (
            <>
              {activity.clockMs !== undefined && (
                <>
                  for <Clock since={activity.since} />:{' '}
                </>
              )}
              <ForeignText text={activity.detail} />
              {activity.expectedAt !== undefined && <Expected at={activity.expectedAt} lead=", " />}
              {reading && <PromptProgress row={reading} lead=", " />}
            </>
          ) : activity.clockMs !== undefined ? (
            <>
              for <Clock since={activity.since} />
            </>
          ) : activity.running ? (
            progressWords(run)
          ) : (
            extentWords(run.config?.mode, {
              iterations: run.iterationsUsed,
              turns: run.turns.completed,
              cycles: run.cycle.number,
            })
          )}
        </p>
      </div>
      <span
        title={DURATION_HINT}
        className="tnum font-mono text-lg tracking-tight [word-spacing:-0.3em] sm:min-w-16 sm:text-xl"
      >
        {activity.clockMs !== undefined ? (
          formatClock(activity.clockMs)
        ) : activity.running ? (
          <WorkClock run={run} />
        ) : (
          formatDuration(workedMs(run, run.updatedAt))
        )}
      </span>
    </div>
  );
}

/** The run's duration so far. */
function WorkClock({ run }: { run: RunState }) {
  const now = useNow();
  return <span suppressHydrationWarning>{formatClock(now === 0 ? 0 : workedMs(run, now))}</span>;
}

/** How far a run is, in the words of its mode: `iteration 3 of 10`, `turn 12`, `cycle 4 of 20`. */
function progressWords(run: RunState): string {
  const { config, cycle } = run;
  if (modeFacts(config?.mode).hasCycles) {
    const limit = config?.explore?.max_cycles;
    return `cycle ${cycle.number}${limit ? ` of ${limit}` : ''}`;
  }
  const step = `${stepWord(config?.mode).toLowerCase()} ${stepOf(run)}`;
  return config && config.max_iterations > 0 ? `${step} of ${config.max_iterations}` : step;
}
