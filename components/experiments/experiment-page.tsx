'use client';

import type { ExperimentItem, ExperimentMode, ExperimentReply } from '#lib/api/experiment.ts';
import { postJson } from '#lib/browser/api.ts';
import { outcomeOfResult, type ResultGroup, resultGroups } from '#lib/browser/state/result-groups.ts';
import { endWords, type Tone } from '#lib/browser/words/end-words.ts';
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatShortCount,
  formatTokens,
} from '#lib/browser/words/format.ts';
import { optionWords } from '#lib/browser/words/option-words.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts, type ResultColumn } from '#lib/events/modes.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { useApi } from '../hooks/use-api.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Problem } from '../shell/problem.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { DownloadLink } from '../ui/download-link.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { toneText } from '../ui/tone.ts';
import { AgreementPanel } from './agreement-panel.tsx';
import { STATUS_WORDS } from './experiment-words.ts';
import { ProgressBar } from './progress-bar.tsx';

const REFRESH_MS = 2000;

const link = 'text-sm font-medium text-brass underline-offset-4 hover:underline';

/** One that has been stopped may be continued from elsewhere. */
function untilFinished(last: ExperimentReply | undefined): number | undefined {
  return last?.experiment.status === 'finished' ? undefined : REFRESH_MS;
}

/** One experiment: how far it is, every run with its result, and the table to take away. */
export function ExperimentPage({ experimentId }: { experimentId: string }) {
  const path = `/api/experiments/${encodeURIComponent(experimentId)}`;
  const { data, error, reload } = useApi<ExperimentReply>(path, untilFinished);
  const { problem, run } = useRequest();
  const name = data?.experiment.name;
  usePageTitle(name === undefined ? undefined : `${plainVisibleLine(name)} · Loupe`);
  const ask = (what: 'stop' | 'continue', body: unknown) =>
    run(async () => {
      await postJson(`${path}/${what}`, body);
      reload();
    });
  if (!data) {
    return (
      <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6" aria-busy={!error}>
        {error && <Problem error={error} onRetry={reload} />}
      </main>
    );
  }
  const { experiment, items } = data;
  const { label, tone } = STATUS_WORDS[experiment.status];
  const active = experiment.status === 'running' || experiment.status === 'waiting';
  // Also one that was stopped sees this run to its end, which can be hours away.
  const inHand = items.some((item) => item.status === 'running');
  const seconds = items.reduce((sum, { result }) => sum + (result?.seconds ?? 0), 0);
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <Link href="/experiments" className="text-sm text-ink-3 underline-offset-4 hover:underline">
        Experiments
      </Link>
      <div className="mt-1 flex flex-wrap items-start justify-between gap-3">
        <h1 className="foreign text-xl font-semibold tracking-[-0.015em]">
          <ShortName text={experiment.name} max={120} />
        </h1>
        <div className="flex flex-wrap items-center gap-2">
          {active && (
            <Button size="sm" onClick={() => void ask('stop', {})}>
              Stop after this run
            </Button>
          )}
          {(active || inHand) && (
            <Button
              size="sm"
              kind="quiet"
              className="text-fail"
              onClick={() => void ask('stop', { force: true })}
            >
              Stop now
            </Button>
          )}
          {experiment.status === 'stopped' && (
            <Button size="sm" onClick={() => void ask('continue', {})}>
              Continue
            </Button>
          )}
        </div>
      </div>
      {problem && (
        <div className="mt-2">
          <ErrorNote error={problem} />
        </div>
      )}
      {experiment.problem && (
        <div className="mt-4">
          <ErrorNote error={experiment.problem} />
        </div>
      )}
      <div className="mt-4 grid items-center gap-x-6 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
        <span>
          <Badge tone={tone}>{label}</Badge>
        </span>
        <ProgressBar experiment={experiment} />
        <span className="tnum font-mono text-xs text-ink-3">
          {formatCount(experiment.done + experiment.failed)} of {formatCount(experiment.total)} runs
          {seconds > 0 && `, ${formatDuration(seconds * 1000)}`}
        </span>
      </div>
      <AgreementPanel experimentId={experimentId} done={experiment.done} />
      <div className="mt-8 flex flex-wrap items-baseline justify-between gap-3">
        <h2 className="font-semibold">Results</h2>
        <span className="flex gap-4">
          <DownloadLink className={link} href={`${path}/results?format=csv`}>
            CSV
          </DownloadLink>
          <DownloadLink className={link} href={`${path}/results`}>
            JSON Lines
          </DownloadLink>
        </span>
      </div>
      <Groups groups={resultGroups(items)} mode={experiment.mode} />
      <Results
        items={items}
        mode={experiment.mode}
        asksThinking={(experiment.plan.settings?.think ?? false) !== false}
      />
    </main>
  );
}

/** How far repeats and seeds of the same thing agree; nothing where nothing is repeated. */
function Groups({ groups, mode }: { groups: readonly ResultGroup[]; mode: ExperimentMode }) {
  if (groups.every(({ runs }) => runs === 1)) return null;
  const { answers, hasCycles } = kindFacts(mode);
  const checked = groups.some((group) => group.checked > 0);
  const priced = groups.some((group) => group.costUsd !== undefined);
  const columns = [
    hasCycles ? 'All cycles' : 'Answered',
    ...(checked ? ['Checks passed'] : []),
    ...(answers ? ['Same answer'] : []),
    ...['Tokens out', ...(priced ? ['Cost'] : []), 'Time'],
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="mt-2 mb-6 scrolls-x" aria-label="Agreement" tabIndex={0}>
      <table className="tnum w-full min-w-[40rem] border-collapse text-sm">
        <caption className="sr-only">How far runs of the same model and options agree; medians</caption>
        <thead>
          <HeadRow words={['Model', 'Options']} figures={columns} />
        </thead>
        <tbody className="divide-y">
          {groups.map((group) => (
            <tr key={group.key} className="align-baseline">
              <th scope="row" className="foreign py-1.5 pr-4 text-left font-mono text-xs font-normal">
                <ShortName text={group.model} />
              </th>
              <td className="py-1.5 pr-4 font-mono text-xs text-ink-2">
                {optionWords(group.options, group.sent) || '–'}
              </td>
              <Share count={group.answered} of={group.done} />
              {checked && <Share count={group.passed} of={group.checked} />}
              {answers && (
                <Share
                  count={group.agreeing}
                  of={group.answers}
                  words={group.agreeing === 1 && group.answers > 1 ? 'all differ' : undefined}
                />
              )}
              <td className="py-1.5 pl-4 text-right font-mono text-xs">
                {group.tokensOut === undefined
                  ? '–'
                  : formatTokens(group.tokensOut, group.tokensEstimated, formatShortCount)}
              </td>
              {priced && (
                <td className="py-1.5 pl-4 text-right font-mono text-xs">
                  {group.costUsd === undefined ? '–' : formatUsd(group.costUsd)}
                </td>
              )}
              <td className="py-1.5 pl-4 text-right font-mono text-xs">
                {group.seconds === undefined ? '–' : formatDuration(group.seconds * 1000)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** `3 of 4`, or other words for it, with as much of a line as that is. */
function Share({ count, of, words }: { count: number; of: number; words?: string }) {
  return (
    <td className="py-1.5 pl-4 text-right font-mono text-xs whitespace-nowrap">
      {of === 0 ? (
        '–'
      ) : (
        <>
          {words ?? `${formatCount(count)} of ${formatCount(of)}`}
          <svg
            viewBox="0 0 100 2"
            preserveAspectRatio="none"
            className="mt-0.5 h-0.5 w-full"
            aria-hidden="true"
          >
            <rect width="100" height="2" className="fill-line" />
            <rect
              width={(count / of) * 100}
              height="2"
              className={count === of ? 'fill-ok' : 'fill-brass-fill'}
            />
          </svg>
        </>
      )}
    </td>
  );
}

function Results({
  items,
  mode,
  asksThinking,
}: {
  items: readonly ExperimentItem[];
  mode: ExperimentMode;
  asksThinking: boolean;
}) {
  const priced = items.some(({ result }) => result?.cost_usd !== undefined);
  const columns = kindFacts(mode).resultColumns ?? [];
  const figures = [
    ...columns.map((column) => RESULT_COLUMNS[column].label),
    ...['Tokens out', ...(priced ? ['Cost'] : []), 'Time'],
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="mt-2 scrolls-x" aria-label="Results" tabIndex={0}>
      <table className="tnum w-full min-w-[48rem] border-collapse text-sm">
        <thead>
          <HeadRow words={['#', 'Model', 'Options', 'Outcome']} figures={figures} />
        </thead>
        <tbody className="divide-y">
          {items.map((item) => (
            <ResultLine
              key={item.position}
              item={item}
              columns={columns}
              priced={priced}
              asksThinking={asksThinking}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Text columns are left-aligned, number columns right-aligned. */
function HeadRow({ words, figures }: { words: readonly string[]; figures: readonly string[] }) {
  return (
    <tr className="border-b border-line-strong text-left">
      {words.map((name) => (
        <th key={name} scope="col" className="caption py-1.5 pr-4 font-normal">
          {name}
        </th>
      ))}
      {figures.map((name) => (
        <th key={name} scope="col" className="caption py-1.5 pl-4 text-right font-normal">
          {name}
        </th>
      ))}
    </tr>
  );
}

function ResultLine({
  item,
  columns,
  priced,
  asksThinking,
}: {
  item: ExperimentItem;
  columns: readonly ResultColumn[];
  priced: boolean;
  asksThinking: boolean;
}) {
  const { result } = item;
  const outcome = outcomeOf(item);
  const settings = [
    optionWords(item.options, result),
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
      <td className="foreign min-w-32 py-1.5 pr-4 font-mono text-xs">
        <ShortName text={item.model} />
      </td>
      <td className="py-1.5 pr-4 font-mono text-xs text-ink-2">{settings || '–'}</td>
      <td
        className={cx('py-1.5 pr-4 font-medium', toneText[outcome.tone])}
        title={item.error?.message ?? result?.message}
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
    </tr>
  );
}

type Result = NonNullable<ExperimentItem['result']>;

const RESULT_COLUMNS: Record<ResultColumn, { label: string; figure: (result: Result) => string }> = {
  iterations: { label: 'Iterations', figure: ({ iterations }) => formatCount(iterations) },
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

function outcomeOf(item: ExperimentItem): { label: string; tone: Tone } {
  if (item.status === 'waiting') return { label: 'Waiting', tone: 'calm' };
  if (item.status === 'running') return { label: 'Running', tone: 'live' };
  if (!item.result) return { label: item.error ? 'Could not start' : 'Ended', tone: 'fail' };
  return endWords(outcomeOfResult(item.result));
}
