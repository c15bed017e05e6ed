'use client';

import { firedLimit } from '#lib/browser/state/ledger.ts';
import { endWords } from '#lib/browser/words/end-words.ts';
import { formatCount, formatDuration, formatTokens, plural } from '#lib/browser/words/format.ts';
import { extentOf } from '#lib/browser/words/mode-words.ts';
import { checkText } from '#lib/browser/words/setting-words.ts';
import type { RunMode } from '#lib/events/config.ts';
import { rowIndexOfSeq } from '#lib/events/fold-timeline.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { checksBeside } from '#lib/events/outcome.ts';
import type { OutcomeKind } from '#lib/events/termination.ts';
import type { EndRow as EndRowData, Timeline } from '#lib/events/timeline.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { EventLink } from '../../ui/event-link.tsx';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { ForeignName } from '../../ui/foreign-name.tsx';
import { Gauge } from '../../ui/gauge.tsx';
import { toneText } from '../../ui/tone.ts';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';
import { StopLadder } from '../stop-ladder.tsx';
import { AutoRunList } from './auto-run-list.tsx';
import { LongText } from './long-text.tsx';
import { rowWords } from './row-words.ts';
import { wholeOf } from './whole-of.ts';

const edges = {
  ok: 'border-t-ok',
  warn: 'border-t-warn',
  fail: 'border-t-fail',
  calm: 'border-t-ink-3',
  live: 'border-t-brass-fill',
};

/** The end card: why the run ended, its evidence, results and next steps (D8). */
export function EndRow({ row }: { row: EndRowData }) {
  const { event } = row;
  const { goTo, server } = useRunScreen();
  const startedAt = useRun((view) => view.run.startedAt);
  const costUsd = useRun((view) => view.run.costUsd);
  const timeline = useRun((view) => view.timeline);
  const mode = useRun((view) => view.run.config?.mode);
  const cycles = useRun((view) => view.run.cycle.number);
  const autoRunFiles = useRun((view) => view.run.autoRunFiles);
  const fired = firedLimit(useRun((view) => view.run));
  const { result } = event;
  // This row exists only for ended runs, which have an outcome.
  const outcome = useRun((view) => view.run.outcome) ?? { kind: 'error' };
  const words = endWords(outcome);
  const hint = result.error?.hint;
  const checks = checksBeside(outcome);
  return (
    <section
      aria-label="How the run ended"
      className={cx('mt-6 mb-4 rounded-lg border border-t-2 bg-raised p-4 sm:p-5', edges[words.tone])}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className={cx('text-lg font-semibold tracking-[-0.01em]', toneText[words.tone])}>
          {words.title}
        </h2>
        <code className="text-xs text-ink-3">{result.termination_reason}</code>
        {checks && <Badge tone={checks.tone}>{checks.label}</Badge>}
      </div>
      <ForeignMessage text={event.message} className="mt-1 max-w-read text-ink-2" />
      {result.error && result.error.message !== event.message && (
        <ForeignMessage text={result.error.message} className="mt-2 max-w-read text-fail" />
      )}
      {hint !== undefined && !`${event.message} ${result.error?.message}`.includes(hint) && (
        <ForeignMessage text={hint} className="mt-1 max-w-read text-ink-2" />
      )}
      <FailedChecks />
      {event.evidence.length > 0 && (
        <p className="mt-2 flex flex-wrap items-baseline gap-x-2 gap-y-1 text-sm text-ink-3">
          Evidence:
          {event.evidence.slice(0, 12).map((seq) => (
            <EventLink key={seq} seq={seq} onGo={goTo} className="tnum">
              {evidenceWords(timeline, seq, mode)}
            </EventLink>
          ))}
        </p>
      )}

      {fired && (
        <div className="mt-3 max-w-sm rounded-md border bg-surface px-3">
          <Gauge gauge={fired} onEvent={goTo} />
        </div>
      )}
      <StopLadder timeline={timeline} />

      <dl className="tnum mt-4 grid grid-cols-3 gap-x-4 gap-y-3 border-t pt-3 sm:grid-cols-5 sm:gap-x-6">
        <Figure
          name={`${modeFacts(mode).unit}s`}
          value={formatCount(extentOf(mode, { iterations: result.iterations_used, cycles }))}
        />
        <Figure name="Tool calls" value={formatCount(event.tool_calls)} />
        <Figure
          name="Tokens in / out"
          value={`${formatTokens(result.tokens_in, event.tokens_estimated)} / ${formatTokens(result.tokens_out, event.tokens_estimated)}`}
        />
        <Figure name="Time" value={startedAt === undefined ? '–' : formatDuration(event.at - startedAt)} />
        {costUsd !== undefined && <Figure name="Cost" value={formatUsd(costUsd)} />}
      </dl>

      {event.files_written.length > 0 && (
        <div className="mt-4">
          <h3 className="caption">{plural(event.files_written.length, 'file')} written</h3>
          <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5">
            {event.files_written.map((path) => (
              <li key={path}>
                <code className="foreign text-sm">
                  <ForeignName text={path} isPath />
                </code>
              </li>
            ))}
          </ul>
        </div>
      )}

      <AutoRunList written={autoRunFiles} />

      {(result.output.trim() !== '' || result.iterations_used > 0) && (
        <div className="mt-4">
          <h3 className="caption">{outputWords(outcome.kind, mode)}</h3>
          {result.output.trim() ? (
            <LongText
              id={`${row.key}.output`}
              text={result.output}
              label={result.status === 'completed' ? 'answer' : 'partial result'}
              whole={wholeOf(event, 'result.output')}
              className="words mt-1"
            />
          ) : (
            <p className="mt-1 text-ink-3">No text.</p>
          )}
        </div>
      )}

      {server && (
        <div className="mt-4 grid gap-3 border-t pt-3 print:hidden">
          {hint === undefined && <p className="max-w-read text-sm text-ink-2">{words.advice}</p>}
          {server.afterEnd}
        </div>
      )}
    </section>
  );
}

/** The failed checks of the last attempt; their output is in the verification row. */
function FailedChecks() {
  const { goTo } = useRunScreen();
  const checks = useRun(({ run }) => run.attempts.at(-1)?.checks);
  const seq = useRun(({ timeline }) => timeline.rows.findLast(({ kind }) => kind === 'verification')?.seq);
  const failed = checks?.filter(({ passed }) => !passed) ?? [];
  if (!checks || failed.length === 0 || seq === undefined) return null;
  return (
    <div className="mt-3">
      <h3 className="text-sm font-medium text-warn">Failed {failed.length === 1 ? 'check' : 'checks'}</h3>
      <ul className="mt-1 grid gap-0.5 text-sm">
        {failed.map(({ check }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: checks of an event never move
          <li key={index}>
            <code className="foreign">
              <ForeignName text={checkText(check)} max={200} />
            </code>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm">
        <EventLink seq={seq} onGo={goTo} className="tnum">
          What the checks found
        </EventLink>
      </p>
    </div>
  );
}

function outputWords(outcome: OutcomeKind, mode: RunMode | undefined): string {
  if (!modeFacts(mode).answers) return 'Its last words';
  if (outcome === 'answered' || outcome === 'answered_checks_failed') return 'Answer';
  return outcome === 'answered_cut_off' ? 'Answer, cut off' : 'Last output';
}

/** The label of a link to an event: `read_file (#12)`, `Turn 3 (#20)`. */
function evidenceWords(timeline: Timeline, seq: number, mode: RunMode | undefined): string {
  const index = rowIndexOfSeq(timeline, seq);
  const row = index === undefined ? undefined : timeline.rows[index];
  return row ? `${rowWords(row, mode)} (#${seq})` : `#${seq}`;
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="font-mono text-sm">{value}</dd>
    </div>
  );
}
