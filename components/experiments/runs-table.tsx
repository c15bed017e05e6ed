'use client';

import { useState } from 'react';
import type { ExperimentItem, ExperimentMode, ExperimentReply, NotedItem } from '#lib/api/experiment.ts';
import { DID_NOT_RUN, didRun, outcomeOfResult } from '#lib/api/result-outcome.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import { endWords, type Tone } from '#lib/browser/words/end-words.ts';
import { FIGURE_WORDS } from '#lib/browser/words/figure-words.ts';
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatShortCount,
  formatTokens,
} from '#lib/browser/words/format.ts';
import { variationWords } from '#lib/browser/words/option-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { MAX_SCORE } from '#lib/events/limits.ts';
import { kindFacts, type ResultColumn } from '#lib/events/modes.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { useApi } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { toneText } from '../ui/tone.ts';
import { HeadRow } from './table-parts.tsx';

/** Rows that are shown at first, and with each further step: thousands would be slow to draw. */
const STEP = 100;

/** The runs of an experiment, or of one of its cells, in order. */
export function RunsTable({
  path,
  cell,
  caseId,
  total,
  mode,
  asksThinking,
  refresh,
}: {
  path: string;
  cell?: number;
  /** Only runs of this case. */
  caseId?: string;
  /** How many there are. */
  total: number;
  mode: ExperimentMode;
  asksThinking: boolean;
  refresh: (last: ExperimentReply | undefined) => number | undefined;
}) {
  const [shown, setShown] = useState(STEP);
  const query = [
    ...(cell === undefined ? [] : [`&cell=${cell}`]),
    ...(caseId === undefined ? [] : [`&case=${encodeURIComponent(caseId)}`]),
  ].join('');
  const { data, error, pending, reload } = useApi<ExperimentReply>(`${path}?limit=${shown}${query}`, refresh);
  if (!data) return error ? <Problem error={error} onRetry={reload} /> : null;
  return (
    <>
      <Results items={data.items} mode={mode} asksThinking={asksThinking} />
      {error && data.items.length < Math.min(shown, total) && <Problem error={error} onRetry={reload} />}
      {(pending || (shown < total && data.items.length === shown)) && (
        <div className="mt-3 flex items-center gap-3">
          <Button
            ref={passFocusOn}
            size="sm"
            className="max-sm:h-11"
            onClick={() => setShown(data.items.length + STEP)}
          >
            Show more
          </Button>
          <span className="tnum text-sm text-ink-3">
            {formatCount(data.items.length)} of {formatCount(total)} runs
          </span>
        </div>
      )}
    </>
  );
}

function Results({
  items,
  mode,
  asksThinking,
}: {
  items: readonly NotedItem[];
  mode: ExperimentMode;
  asksThinking: boolean;
}) {
  const priced = items.some(({ result }) => result?.cost_usd !== undefined);
  const columns = kindFacts(mode).resultColumns;
  const scored = items.some(({ score, note }) => score !== undefined || note !== undefined);
  const withCases = items.some((item) => item.case !== undefined);
  const figures = [
    ...columns.map((column) => RESULT_COLUMNS[column].label),
    ...['Tokens out', ...(priced ? ['Cost'] : []), FIGURE_WORDS.seconds.label, ...(scored ? ['Score'] : [])],
  ];
  return (
    <ScrollRegion className="mt-2 scrolls-x" label="Results">
      <table className="tnum w-full min-w-[48rem] border-collapse text-sm">
        <thead>
          <HeadRow
            words={['#', ...(withCases ? ['Case'] : []), 'Model', 'Options', 'Outcome']}
            figures={figures}
          />
        </thead>
        <tbody className="divide-y">
          {items.map((item) => (
            <ResultLine
              key={item.position}
              item={item}
              columns={columns}
              priced={priced}
              scored={scored}
              asksThinking={asksThinking}
            />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function ResultLine({
  item,
  columns,
  priced,
  scored,
  asksThinking,
}: {
  item: NotedItem;
  columns: readonly ResultColumn[];
  priced: boolean;
  scored: boolean;
  asksThinking: boolean;
}) {
  const { result } = item;
  const outcome = outcomeOf(item);
  const notRun = isNotRun(item);
  const settings = [
    variationWords(item, result),
    item.seed === undefined ? undefined : `seed ${item.seed}`,
    // As sent: a model may have refused the setting.
    asksThinking && result?.think !== undefined ? `think ${result.think}` : undefined,
    item.repeat > 1 ? `repeat ${item.repeat}` : undefined,
  ]
    .filter(Boolean)
    .join(', ');
  const figures = columns.map((column) => (result ? RESULT_COLUMNS[column].figure(result) : ''));
  return (
    <tr className="align-baseline">
      <td className="py-1.5 pr-4 font-mono text-xs text-ink-3">{item.position}</td>
      {item.case !== undefined && <td className="py-1.5 pr-4 font-mono text-xs">{item.case}</td>}
      <td className="foreign min-w-32 py-1.5 pr-4 font-mono text-xs">
        <ShortName text={item.model} />
      </td>
      <td className="py-1.5 pr-4 font-mono text-xs text-ink-2">{settings || '–'}</td>
      <td
        className={cx('py-1.5 pr-4 font-medium', toneText[outcome.tone])}
        title={notRun ? undefined : result?.message}
      >
        {item.run_id ? (
          <Link
            href={`/runs/${encodeURIComponent(item.run_id)}`}
            className="underline-offset-4 hover:underline"
          >
            {outcome.label}
          </Link>
        ) : (
          outcome.label
        )}
        {notRun && (
          <span className="foreign block max-w-read text-xs font-normal text-ink-2">
            {item.error?.message ?? result?.message}
          </span>
        )}
      </td>
      {[
        ...figures,
        result ? formatTokens(result.tokens_out, result.tokens_estimated, formatShortCount) : '',
        ...(priced ? [costWords(result)] : []),
        result ? formatDuration(result.seconds * 1000) : '',
      ].map((figure, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table never move
        <td key={index} className="py-1.5 pl-4 text-right font-mono text-xs whitespace-nowrap">
          {figure}
        </td>
      ))}
      {scored && (
        <td className="foreign py-1.5 pl-4 text-right text-xs whitespace-nowrap" title={item.note}>
          {scoreWords(item)}
        </td>
      )}
    </tr>
  );
}

/** A person's annotations: a score out of ten, and the beginning of the note. */
function scoreWords({ score, note }: NotedItem): string {
  const words = note === undefined ? '' : shortLine(note, 40);
  return [score === undefined ? '' : `${score}/${MAX_SCORE}`, words].filter(Boolean).join(' · ');
}

type Result = NonNullable<ExperimentItem['result']>;

const RESULT_COLUMNS: Record<ResultColumn, { label: string; figure: (result: Result) => string }> = {
  iterations: { label: 'Iterations', figure: ({ iterations }) => formatCount(iterations) },
  turns: { label: 'Turns', figure: ({ turns, iterations }) => formatCount(turns ?? iterations) },
  cycles: { label: 'Cycles', figure: ({ cycles }) => formatCount(cycles) },
  calls: { label: 'Calls', figure: calls },
  files: { label: 'Files', figure: ({ files_written }) => formatCount(files_written) },
  checks: { label: 'Checks', figure: checksOf },
  memories: { label: 'Memories', figure: ({ memories }) => formatCount(memories) },
  novelty: {
    label: 'Novelty',
    figure: ({ novelty }) => (novelty === undefined ? '–' : formatPercent(novelty)),
  },
};

function costWords(result: ExperimentItem['result']): string {
  if (!result) return '';
  return result.cost_usd === undefined ? '–' : formatUsd(result.cost_usd);
}

function calls({ tool_calls, failed_tool_calls }: Result): string {
  return failed_tool_calls > 0 ? `${tool_calls} (${failed_tool_calls} failed)` : formatCount(tool_calls);
}

/** `2 of 3` checks that passed; of a result from before they were counted, its verdict. */
function checksOf({ outcome, verification }: Result): string {
  const { checks } = outcome ?? {};
  if (checks) return `${formatCount(checks.total - checks.failed)} of ${formatCount(checks.total)}`;
  return verification?.replace('_', ' ') ?? '–';
}

/** Whether the run could not be created, or an error ended it before the model's first reply. */
function isNotRun({ error, result }: ExperimentItem): boolean {
  return result ? !didRun(result) : error !== undefined;
}

function outcomeOf(item: ExperimentItem): { label: string; tone: Tone } {
  if (item.status === 'waiting') return { label: 'Waiting', tone: 'calm' };
  if (item.status === 'running') return { label: 'Running', tone: 'live' };
  if (isNotRun(item)) return { label: DID_NOT_RUN, tone: 'fail' };
  if (!item.result) return { label: 'Ended', tone: 'fail' };
  return endWords(outcomeOfResult(item.result));
}
