'use client';

import { useEffect, useState } from 'react';
import type { ExperimentItem, ExperimentReply } from '#lib/api/experiment.ts';
import { ApiError, postJson } from '#lib/browser/api.ts';
import { type ResultGroup, resultGroups } from '#lib/browser/state/result-groups.ts';
import { plainVisibleText } from '#lib/browser/visible-text.ts';
import { isReason, reasonWords, type Tone } from '#lib/browser/words/end-words.ts';
import { formatCount, formatDuration, formatPercent, formatShortCount } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
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
  const [problem, setProblem] = useState<string>();
  const name = data?.experiment.name;
  useEffect(() => {
    if (name !== undefined) document.title = `${plainVisibleText(name)} · Loupe`;
  }, [name]);
  const ask = async (what: 'stop' | 'continue', body: unknown) => {
    setProblem(undefined);
    try {
      await postJson(`${path}/${what}`, body);
      reload();
    } catch (cause) {
      setProblem(cause instanceof ApiError ? cause.message : String(cause));
    }
  };
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
          <ForeignText text={experiment.name} />
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
        <p role="alert" className="mt-2 text-sm text-fail">
          {problem}
        </p>
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
          <a className={link} href={`${path}/results?format=csv`} download>
            CSV
          </a>
          <a className={link} href={`${path}/results`} download>
            JSON Lines
          </a>
        </span>
      </div>
      <Groups groups={resultGroups(items)} explore={experiment.mode === 'explore'} />
      <Results items={items} explore={experiment.mode === 'explore'} />
    </main>
  );
}

/** How far repeats and seeds of the same thing agree; nothing where nothing is repeated. */
function Groups({ groups, explore }: { groups: readonly ResultGroup[]; explore: boolean }) {
  if (groups.every(({ runs }) => runs === 1)) return null;
  const checked = groups.some((group) => group.checked > 0);
  const columns = [
    explore ? 'All cycles' : 'Answered',
    ...(checked ? ['Checks pass'] : []),
    ...(explore ? [] : ['Same answer']),
    ...['Tokens out', 'Time'],
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
                <ForeignText text={group.model} />
              </th>
              <td className="py-1.5 pr-4 font-mono text-xs text-ink-2">
                {optionWords(group.options) || '–'}
              </td>
              <Share count={group.answered} of={group.done} />
              {checked && <Share count={group.passed} of={group.checked} />}
              {!explore && (
                <Share
                  count={group.agreeing}
                  of={group.answered}
                  words={group.agreeing === 1 && group.answered > 1 ? 'all differ' : undefined}
                />
              )}
              <td className="py-1.5 pl-4 text-right font-mono text-xs">
                {group.tokensOut === undefined ? '–' : formatShortCount(group.tokensOut)}
              </td>
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

function optionWords(options: ExperimentItem['options']): string {
  return Object.entries(options)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function Results({ items, explore }: { items: readonly ExperimentItem[]; explore: boolean }) {
  const columns = explore
    ? ['Cycles', 'Calls', 'Memories', 'Novelty', 'Tokens out', 'Time']
    : ['Iterations', 'Calls', 'Files', 'Checks', 'Tokens out', 'Time'];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="mt-2 scrolls-x" aria-label="Results" tabIndex={0}>
      <table className="tnum w-full min-w-[48rem] border-collapse text-sm">
        <thead>
          <HeadRow words={['#', 'Model', 'Options', 'Outcome']} figures={columns} />
        </thead>
        <tbody className="divide-y">
          {items.map((item) => (
            <ResultLine key={item.position} item={item} explore={explore} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Columns of words stand to the left, columns of figures to the right. */
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

function ResultLine({ item, explore }: { item: ExperimentItem; explore: boolean }) {
  const { result } = item;
  const outcome = outcomeOf(item, explore);
  const settings = [
    optionWords(item.options),
    item.seed === undefined ? undefined : `seed ${item.seed}`,
    item.repeat > 1 ? `repeat ${item.repeat}` : undefined,
  ]
    .filter(Boolean)
    .join(', ');
  const figures = result
    ? explore
      ? [
          formatCount(result.cycles),
          calls(result),
          formatCount(result.memories),
          result.novelty === undefined ? '–' : formatPercent(result.novelty),
        ]
      : [
          formatCount(result.iterations),
          calls(result),
          formatCount(result.files_written),
          result.verification?.replace('_', ' ') ?? '–',
        ]
    : ['', '', '', ''];
  return (
    <tr className="align-baseline">
      <td className="py-1.5 pr-4 font-mono text-xs text-ink-3">{item.position}</td>
      <td className="foreign min-w-32 py-1.5 pr-4 font-mono text-xs">
        <ForeignText text={item.model} />
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
        result ? formatShortCount(result.tokens_out) : '',
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

function calls({ tool_calls, failed_tool_calls }: NonNullable<ExperimentItem['result']>): string {
  return failed_tool_calls > 0 ? `${tool_calls} (${failed_tool_calls} failed)` : formatCount(tool_calls);
}

function outcomeOf(item: ExperimentItem, explore: boolean): { label: string; tone: Tone } {
  if (item.status === 'waiting') return { label: 'Waiting', tone: 'calm' };
  if (item.status === 'running') return { label: 'Running', tone: 'live' };
  const reason = item.result?.termination_reason;
  if (reason === undefined || !isReason(reason))
    return { label: item.error ? 'Could not be made' : 'Ended', tone: 'fail' };
  return reasonWords(reason, explore ? 'explore' : 'task');
}
