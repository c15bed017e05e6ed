'use client';

import type { BenchmarkReply } from '#lib/api/benchmark.ts';
import { postJson } from '#lib/browser/api.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { formatCount, formatDuration } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { useRequest } from '../hooks/use-request.ts';
import { UnreadPage } from '../shell/unread-page.tsx';
import { Button } from '../ui/button.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ParentLink } from '../ui/parent-link.tsx';
import { AccuracyPlot } from './accuracy-plot.tsx';
import { AccuracyTable } from './accuracy-table.tsx';
import { BenchmarkProgress, BenchmarkStatusBadge } from './benchmark-status.tsx';
import { CaseList } from './case-list.tsx';

const REFRESH_MS = 2000;
const link =
  'target inline-flex items-center py-0.5 text-sm font-medium text-brass underline-offset-4 hover:underline';

/** A stopped benchmark may be continued from elsewhere. */
function untilFinished(last: BenchmarkReply | undefined): number | undefined {
  return last?.benchmark.status === 'finished' ? undefined : REFRESH_MS;
}

/** One benchmark: its progress, its figures, and every case with what was sent and replied. */
export function BenchmarkPage({ benchmarkId }: { benchmarkId: string }) {
  const path = `/api/benchmarks/${encodeURIComponent(benchmarkId)}`;
  const { data, error, reload } = useApi<BenchmarkReply>(path, untilFinished);
  const models = data?.benchmark.models.join(', ');
  usePageTitle(models === undefined ? undefined : `${plainVisibleLine(models)} · Function calling · Loupe`);
  if (!data)
    return (
      <UnreadPage
        title="Function calling"
        error={error}
        onRetry={reload}
        href="/benchmarks"
        back="All benchmarks"
      />
    );
  const { benchmark, cells, seconds_left: left } = data;
  return (
    <main id="main" className="mx-auto w-full max-w-[88rem] flex-1 px-3 py-8 sm:px-6">
      <ParentLink href="/benchmarks">Function calling</ParentLink>
      <div className="mt-1 flex flex-wrap items-start justify-between gap-3">
        <h1 className="foreign min-w-0 text-xl font-semibold tracking-[-0.015em]">
          <ShortName text={models ?? ''} max={120} />
        </h1>
        <BenchmarkActions path={path} benchmark={benchmark} reload={reload} />
      </div>
      {benchmark.problem && (
        <div className="mt-4">
          <ErrorNote error={benchmark.problem} />
        </div>
      )}
      <div className="mt-4 grid items-center gap-x-6 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
        <span>
          <BenchmarkStatusBadge status={benchmark.status} />
        </span>
        <BenchmarkProgress benchmark={benchmark} />
        <span className="tnum font-mono text-xs text-ink-3">
          {formatCount(benchmark.done)} of {formatCount(benchmark.total)} cases
          {left !== undefined && left > 0 && `, about ${formatDuration(left * 1000)} left`}
        </span>
      </div>
      <AccuracyPlot cells={cells} />
      {cells.length > 0 && <AccuracyTable cells={cells} />}
      {benchmark.done > 0 && (
        <>
          <div className="mt-8 flex flex-wrap items-baseline justify-between gap-3">
            <h2 className="font-semibold">Cases</h2>
            <span className="flex gap-4 max-sm:w-full">
              <DownloadLink className={link} href={`${path}/results?format=csv`}>
                CSV
              </DownloadLink>
              <DownloadLink className={link} href={`${path}/results`}>
                JSON Lines
              </DownloadLink>
            </span>
          </div>
          <CaseList path={path} benchmark={benchmark} />
        </>
      )}
      <Conditions benchmark={benchmark} />
    </main>
  );
}

function BenchmarkActions({
  path,
  benchmark: { status },
  reload,
}: {
  path: string;
  benchmark: BenchmarkReply['benchmark'];
  reload: () => void;
}) {
  const request = useRequest();
  const { busy, problem, run } = request;
  const ask = (what: 'stop' | 'continue') =>
    run(async () => {
      await postJson(`${path}/${what}`, {});
      reload();
    });
  return (
    <div ref={keepFocus} className="flex flex-wrap items-center gap-2">
      {(status === 'running' || status === 'waiting') && (
        <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={() => void ask('stop')}>
          Stop
        </Button>
      )}
      {status === 'stopped' && (
        <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={() => void ask('continue')}>
          Continue
        </Button>
      )}
      {(status === 'stopped' || status === 'finished') && (
        <DeleteButton
          path={path}
          confirmation="Delete with its results"
          listPath="/benchmarks"
          request={request}
        />
      )}
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

/** The conditions that the figures depend on. */
function Conditions({ benchmark }: { benchmark: BenchmarkReply['benchmark'] }) {
  const { folder, models, details, window_tokens, num_predict, think, files_hash } = benchmark;
  return (
    <section aria-label="Conditions" className="mt-8 border-t pt-4 text-sm text-ink-3">
      <h2 className="font-semibold text-ink">Conditions</h2>
      <p className="mt-1">
        Temperature 0, seed 1, window {formatCount(window_tokens)} tokens, reply limit{' '}
        {formatCount(num_predict)} tokens, thinking {think ? 'on' : 'off'}. One request per case, without a
        prompt of Loupe.
      </p>
      <ul className="mt-1">
        {models.map((model) => {
          const { ollama_version, digest, quantization, parameter_size } = details[model] ?? {};
          const facts = [
            parameter_size,
            quantization,
            digest?.slice(0, 12),
            ollama_version && `Ollama ${ollama_version}`,
          ];
          return (
            <li key={model} className="foreign">
              <ShortName text={[model, ...facts.filter(Boolean)].join(' · ')} max={160} />
            </li>
          );
        })}
      </ul>
      <p className="foreign mt-1 break-all">
        Files: <code className="text-xs">{folder}</code> ({files_hash.slice(0, 12)})
      </p>
    </section>
  );
}
