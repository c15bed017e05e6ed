'use client';

import Link from 'next/link';
import { useEffect, useState } from 'react';
import type { ExperimentItem, ExperimentReply } from '#lib/api/experiment.ts';
import { ApiError, postJson } from '#lib/browser/api.ts';
import { formatCount, formatDuration, formatPercent, formatShortCount } from '#lib/browser/format.ts';
import { isReason, reasonWords, type Tone } from '#lib/browser/reasons.ts';
import { plainVisibleText } from '#lib/browser/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { toneText } from '../ui/tone.ts';
import { STATUS_WORDS } from './experiment-words.ts';
import { ProgressBar } from './progress-bar.tsx';

const link = 'text-sm font-medium text-brass underline-offset-4 hover:underline';

/** One experiment: how far it is, every run with its result, and the table to take away. */
export function ExperimentPage({ experimentId }: { experimentId: string }) {
  const path = `/api/experiments/${encodeURIComponent(experimentId)}`;
  const { data, error, reload } = useApi<ExperimentReply>(path, 2000);
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
      <main id="main" className="mx-auto w-full max-w-5xl flex-1 px-3 py-8 sm:px-6" aria-busy={!error}>
        {error && <Problem error={error} onRetry={reload} />}
      </main>
    );
  }
  const { experiment, items } = data;
  const { label, tone } = STATUS_WORDS[experiment.status];
  const active = experiment.status === 'running' || experiment.status === 'waiting';
  const seconds = items.reduce((sum, { result }) => sum + (result?.seconds ?? 0), 0);
  return (
    <main id="main" className="mx-auto w-full max-w-5xl flex-1 px-3 py-8 sm:px-6">
      <Link href="/experiments" className="text-sm text-ink-3 underline-offset-4 hover:underline">
        Experiments
      </Link>
      <div className="mt-1 flex flex-wrap items-start justify-between gap-3">
        <h1 className="foreign text-xl font-semibold tracking-[-0.015em]">
          <ForeignText text={experiment.name} />
        </h1>
        <div className="flex flex-wrap items-center gap-2">
          {active && (
            <>
              <Button size="sm" onClick={() => void ask('stop', {})}>
                Stop after this run
              </Button>
              <Button
                size="sm"
                kind="quiet"
                className="text-fail"
                onClick={() => void ask('stop', { force: true })}
              >
                Stop now
              </Button>
            </>
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
      <div className="mt-4 grid items-center gap-x-6 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
        <Badge tone={tone}>{label}</Badge>
        <ProgressBar experiment={experiment} />
        <span className="tnum font-mono text-xs text-ink-3">
          {formatCount(experiment.done + experiment.failed)} of {formatCount(experiment.total)} runs
          {seconds > 0 && `, ${formatDuration(seconds * 1000)}`}
        </span>
      </div>
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
      <Results items={items} explore={experiment.mode === 'explore'} />
    </main>
  );
}

function Results({ items, explore }: { items: readonly ExperimentItem[]; explore: boolean }) {
  const columns = explore
    ? ['Cycles', 'Calls', 'Memories', 'Novelty', 'Tokens out', 'Time']
    : ['Iterations', 'Calls', 'Files', 'Checks', 'Tokens out', 'Time'];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="mt-2 overflow-x-auto" aria-label="Results" tabIndex={0}>
      <table className="tnum w-full min-w-[48rem] border-collapse text-sm">
        <thead>
          <tr className="border-b border-line-strong text-left">
            {['#', 'Model', 'Options', 'Outcome'].map((name) => (
              <th key={name} scope="col" className="caption py-1.5 pr-4 font-normal">
                {name}
              </th>
            ))}
            {columns.map((name) => (
              <th key={name} scope="col" className="caption py-1.5 pl-4 text-right font-normal">
                {name}
              </th>
            ))}
          </tr>
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

function ResultLine({ item, explore }: { item: ExperimentItem; explore: boolean }) {
  const { result } = item;
  const outcome = outcomeOf(item, explore);
  const settings = [
    ...Object.entries(item.options).map(([name, value]) => `${name} ${value}`),
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
      <td className="foreign py-1.5 pr-4 font-mono text-xs">
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
