'use client';

import { firedLimit } from '#lib/browser/state/ledger.ts';
import { type CallPattern, callPattern } from '#lib/browser/state/repeated-calls.ts';
import { DURATION_HINT } from '#lib/browser/words/duration-hint.ts';
import { endAdvice, endWords, type Tone } from '#lib/browser/words/end-words.ts';
import { formatCount, formatDuration, formatTokens } from '#lib/browser/words/format.ts';
import { extentOf } from '#lib/browser/words/mode-words.ts';
import { patternWords } from '#lib/browser/words/pattern-words.ts';
import { checkText } from '#lib/events/check-text.ts';
import type { RunMode } from '#lib/events/config.ts';
import { rowIndexOfSeq } from '#lib/events/fold-timeline.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { verdictWord } from '#lib/events/opinion-words.ts';
import { checksBeside } from '#lib/events/outcome.ts';
import type { OutcomeKind } from '#lib/events/termination.ts';
import type { EndRow as EndRowData, Timeline } from '#lib/events/timeline.ts';
import { workedMs } from '#lib/events/worked-ms.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { EventLink } from '../../ui/event-link.tsx';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { ForeignName } from '../../ui/foreign-name.tsx';
import { Gauge } from '../../ui/gauge.tsx';
import { toneText } from '../../ui/tone.ts';
import { FileList } from '../changes/file-list.tsx';
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

/** The end card: the outcome, the answer, the files, and what to do next (D8). */
export function EndRow({ row }: { row: EndRowData }) {
  const { event } = row;
  const { server, reading } = useRunScreen();
  const rows = useRun((view) => view.timeline.rows);
  const mode = useRun((view) => view.run.config?.mode);
  const autoRunFiles = useRun((view) => view.run.autoRunFiles);
  // This row exists only for ended runs, which have an outcome.
  const outcome = useRun((view) => view.run.outcome) ?? { kind: 'error' };
  const pattern = callPattern(useRun((view) => view.run));
  const isData = useRun((view) => view.run.answer.checked?.fits === true);
  const lastReplyCut = useRun((view) => view.run.lastReplyCut);
  const { result } = event;
  const words = endWords(outcome);
  const advice = endAdvice(pattern ? { kind: 'repetition' } : outcome, mode, { lastReplyCut });
  const checks = checksBeside(outcome);
  const hint = result.error?.hint;
  return (
    <section
      aria-label="How the run ended"
      className={cx('mt-6 mb-4 rounded-lg border border-t-2 bg-raised p-4 sm:p-5', edges[words.tone])}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className={cx('text-lg font-semibold tracking-[-0.01em]', toneText[words.tone])}>
          {words.title}
        </h2>
        {checks && <Badge tone={checks.tone}>{checks.label}</Badge>}
        <code className="text-xs text-ink-3">{result.termination_reason}</code>
      </div>
      <Why row={row} tone={words.tone} pattern={pattern} />

      {(result.output.trim() !== '' || result.iterations_used > 0) && (
        <div className="mt-4">
          <h3 className="caption">{outputWords(outcome.kind, mode)}</h3>
          {result.output.trim() ? (
            <LongText
              id={`${row.key}.output`}
              text={result.output}
              as={isData ? { name: 'answer' } : 'markdown'}
              startsUnfolded
              label={result.status === 'completed' ? 'answer' : 'partial result'}
              whole={wholeOf(event, 'result.output')}
              className="words mt-1"
            />
          ) : (
            <p className="mt-1 text-ink-3">No text.</p>
          )}
        </div>
      )}

      <FileList
        rows={rows}
        written={event.files_written}
        onReview={(path) => reading.setState({ reviewing: { path } })}
      />
      <AutoRunList written={autoRunFiles} />

      {server && (
        <div className="mt-4 grid gap-3 print:hidden">
          {hint === undefined && words.tone !== 'ok' && (
            <p className="max-w-read text-sm text-ink-2">{advice}</p>
          )}
          {server.afterEnd}
        </div>
      )}
      <Totals event={event} mode={mode} />
    </section>
  );
}

/** Why the run ended, said once, with the evidence. */
function Why({
  row: { event },
  tone,
  pattern,
}: {
  row: EndRowData;
  tone: Tone;
  pattern: CallPattern | undefined;
}) {
  const { goTo } = useRunScreen();
  const timeline = useRun((view) => view.timeline);
  const mode = useRun((view) => view.run.config?.mode);
  const fired = firedLimit(useRun((view) => view.run));
  const { error } = event.result;
  // For an answer, the title says it.
  const message = tone === 'ok' ? undefined : event.message;
  const cause = error && !message?.includes(error.message) ? error.message : undefined;
  const hint = error?.hint;
  return (
    <>
      {message !== undefined && <ForeignMessage text={message} className="mt-1 max-w-read text-ink-2" />}
      {cause !== undefined && <ForeignMessage text={cause} className="mt-1 max-w-read text-fail" />}
      {hint !== undefined && !`${message} ${cause}`.includes(hint) && (
        <ForeignMessage text={hint} className="mt-1 max-w-read text-ink-2" />
      )}
      <FailedChecks />
      <Opinions />
      {event.evidence.length > 0 && tone !== 'ok' && (
        <p className="mt-2 flex flex-wrap items-baseline gap-x-2 gap-y-1 text-sm text-ink-3">
          Evidence:
          {event.evidence.slice(0, 12).map((seq) => (
            <EventLink key={seq} seq={seq} onGo={goTo} className="tnum">
              {evidenceWords(timeline, seq, mode)}
            </EventLink>
          ))}
        </p>
      )}
      {pattern && <RepeatedPattern pattern={pattern} />}
      {fired && (
        <div className="mt-3 max-w-sm rounded-md border bg-surface px-3">
          <Gauge gauge={fired} onEvent={goTo} />
        </div>
      )}
      <StopLadder timeline={timeline} />
    </>
  );
}

/** A pattern of calls that the run repeated until its end, which no guard ends. */
function RepeatedPattern({ pattern }: { pattern: CallPattern }) {
  const { goTo } = useRunScreen();
  const [start] = pattern.seqs;
  return (
    <p className="mt-2 max-w-read text-sm text-warn">
      {patternWords(pattern)}{' '}
      {start !== undefined && (
        <EventLink seq={start} onGo={goTo}>
          Where it begins
        </EventLink>
      )}
    </p>
  );
}

function Totals({ event, mode }: { event: EndRowData['event']; mode: RunMode | undefined }) {
  const workedFor = useRun(({ run }) => (run.startedAt === undefined ? undefined : workedMs(run, event.at)));
  const costUsd = useRun((view) => view.run.costUsd);
  const turns = useRun((view) => view.run.turns.completed);
  const cycles = useRun((view) => view.run.cycle.number);
  const { result } = event;
  return (
    <dl className="tnum mt-4 flex flex-wrap gap-x-6 gap-y-3 border-t pt-3 sm:gap-x-12">
      <Figure
        name={`${modeFacts(mode).unit}s`}
        value={formatCount(extentOf(mode, { iterations: result.iterations_used, turns, cycles }))}
      />
      <Figure name="Tool calls" value={formatCount(event.tool_calls)} />
      <Figure
        name="Tokens in / out"
        value={`${formatTokens(result.tokens_in, event.tokens_estimated)} / ${formatTokens(result.tokens_out, event.tokens_estimated)}`}
      />
      <Figure
        name="Duration"
        title={DURATION_HINT}
        value={workedFor === undefined ? '–' : formatDuration(workedFor)}
      />
      {costUsd !== undefined && <Figure name="Cost" value={formatUsd(costUsd)} />}
    </dl>
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

/** The opinions on the last attempt, in a line each; their reasons are in the verification row. */
function Opinions() {
  const { goTo } = useRunScreen();
  const row = useRun(({ timeline }) => timeline.rows.findLast(({ kind }) => kind === 'verification'));
  const opinions = row?.kind === 'verification' ? row.checked?.opinions : undefined;
  if (!row || !opinions) return null;
  return (
    <div className="mt-3 text-sm text-ink-2">
      <h3 className="font-medium">
        {opinions.length === 1 ? 'Opinion of a model, not a check' : 'Opinions of models, not checks'}
      </h3>
      <ul className="mt-1 grid gap-0.5">
        {opinions.map((opinion, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: opinions of an event never move
          <li key={index} className="foreign">
            {verdictWord(opinion.verdict)}, by <ForeignName text={opinion.model} />:{' '}
            <ForeignName text={opinion.check.criteria} max={200} />
          </li>
        ))}
      </ul>
      <p className="mt-1">
        <EventLink seq={row.seq} onGo={goTo} className="tnum">
          Reasons
        </EventLink>
      </p>
    </div>
  );
}

function outputWords(outcome: OutcomeKind, mode: RunMode | undefined): string {
  if (!modeFacts(mode).answers) return 'Last message';
  if (outcome === 'answered' || outcome === 'answered_checks_failed') return 'Answer';
  if (outcome === 'answered_cut_off') return 'Answer, cut off';
  return outcome === 'answered_off_schema' ? 'Answer, not as asked' : 'Last output';
}

/** The label of a link to an event: `read_file (#12)`, `Turn 3 (#20)`. */
function evidenceWords(timeline: Timeline, seq: number, mode: RunMode | undefined): string {
  const index = rowIndexOfSeq(timeline, seq);
  const row = index === undefined ? undefined : timeline.rows[index];
  return row ? `${rowWords(row, mode)} (#${seq})` : `#${seq}`;
}

function Figure({ name, value, title }: { name: string; value: string; title?: string }) {
  return (
    <div title={title}>
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="font-mono text-sm">{value}</dd>
    </div>
  );
}
