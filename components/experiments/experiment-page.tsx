'use client';

import { useSearchParams } from 'next/navigation';
import { useMemo, useRef, useState } from 'react';
import type { AgreementReply } from '#lib/api/comparison.ts';
import type { ExperimentReply, ExperimentSuite, ExperimentSummary } from '#lib/api/experiment.ts';
import type { CellsReply } from '#lib/api/experiment-cells.ts';
import { postJson } from '#lib/browser/api.ts';
import { formatMoment, plural, runsOf } from '#lib/browser/words/format.ts';
import { totalTimeWords } from '#lib/browser/words/total-time-words.ts';
import { plainVisibleLine, shortLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { isSettled, useApi, useVersioned } from '../hooks/use-api.ts';
import { useInlineForm } from '../hooks/use-inline-form.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Problem } from '../shell/problem.tsx';
import { UnreadPage } from '../shell/unread-page.tsx';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { ParentLink } from '../ui/parent-link.tsx';
import { ShowAll } from '../ui/show-all.tsx';
import { AgreementPanel } from './agreement-panel.tsx';
import { CellResults } from './cell-results.tsx';
import { ExperimentActions } from './experiment-actions.tsx';
import { STATUS_WORDS } from './experiment-words.ts';
import { ExportMenu } from './export-menu.tsx';
import { ExtendForm } from './extend-form.tsx';
import { useComparedCells } from './pair-panel.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { RunsTable } from './runs-table.tsx';
import { useResultPlots } from './use-result-plots.ts';

const REFRESH_MS = 2000;

const link = 'text-sm font-medium text-brass underline-offset-4 hover:underline';

/** A stopped experiment may be continued from elsewhere. */
function untilFinished(last: ExperimentReply | undefined): number | undefined {
  return last?.experiment.status === 'finished' ? undefined : REFRESH_MS;
}

/** One experiment: its progress, every run with its result, and its files. */
export function ExperimentPage({ experimentId }: { experimentId: string }) {
  const path = `/api/experiments/${encodeURIComponent(experimentId)}`;
  const { data, error, reload } = useApi<ExperimentReply>(`${path}?limit=0`, untilFinished);
  const query = useSearchParams();
  const chosen = query.get('cell');
  const chosenCase = query.get('case') ?? undefined;
  const summary = data?.experiment;
  // Read again whenever a run ends, runs are added, or an experiment that went on has finished again.
  const version =
    summary &&
    `done=${summary.done}&failed=${summary.failed}&total=${summary.total}&finished=${summary.status === 'finished' ? summary.updated_at : ''}`;
  const read = useVersioned<CellsReply>(`${path}/cells`, version);
  const cells = useMemo(() => read.data?.cells ?? [], [read.data]);
  const plots = useResultPlots(path, summary, version);
  const done = summary?.done ?? 0;
  const compared = useComparedCells(path, cells.length > 1 ? done : undefined);
  const agreement = useVersioned<AgreementReply>(`${path}/agreement`, done > 1 ? done : undefined);
  const arePairsRead = cells.length < 2 || isSettled(compared.read);
  // Once shown, the results stay while the first reply for another plot is read.
  const wasRead = useRef(false);
  wasRead.current ||= (read.data !== undefined && plots.areRead && arePairsRead) || read.error !== undefined;
  const isRead = wasRead.current;
  // So do the runs, while an experiment gets its first results to compare.
  const wasAgreementRead = useRef(false);
  wasAgreementRead.current ||= isRead && (done < 2 || isSettled(agreement));
  const { busy, problem, run } = useRequest();
  const extension = useInlineForm();
  // The table of runs stops reading once an experiment has finished, and must read again when it continues.
  const [changes, setChanges] = useState(0);
  const name = data?.experiment.name;
  usePageTitle(name === undefined ? undefined : `${plainVisibleLine(name)} · Loupe`);
  const ask = (what: 'stop' | 'continue' | 'retry', body: unknown) =>
    run(async () => {
      await postJson(`${path}/${what}`, body);
      setChanges((count) => count + 1);
      reload();
    });
  if (!data)
    return (
      <UnreadPage
        title="Experiment"
        error={error}
        onRetry={reload}
        href="/experiments"
        back="All experiments"
      />
    );
  const { experiment } = data;
  const home = `/experiments/${encodeURIComponent(experimentId)}`;
  const hrefOf = (number: number) => `${home}?cell=${number}#runs`;
  const cell = cells.find((each) => String(each.cell) === chosen);
  const { label, tone } = STATUS_WORDS[experiment.status];
  const time = totalTimeWords(cells);
  return (
    <main id="main" className="mx-auto w-full max-w-[88rem] flex-1 px-3 py-8 sm:px-6">
      <ParentLink href="/experiments">Experiments</ParentLink>
      <div className="mt-1 flex flex-wrap items-start justify-between gap-3">
        <h1 className="foreign text-xl font-semibold tracking-[-0.015em]">
          <ShortName text={experiment.name} max={120} />
        </h1>
        <ExperimentActions
          {...{ path, experiment, busy }}
          onAsk={(what, body) => void ask(what, body)}
          extension={extension}
        />
      </div>
      {experiment.suite && <SuiteLine suite={experiment.suite} />}
      <p className="mt-1 text-sm text-ink-3">
        {!experiment.suite && `${kindFacts(experiment.mode).runs} · `}Created{' '}
        {formatMoment(experiment.created_at)}
      </p>
      {experiment.plan.task && <PlanTask text={experiment.plan.task} />}
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
          {runsOf(experiment.done + experiment.failed, experiment.total)}
          {time && `, ${time}`}
        </span>
      </div>
      {extension.isOpen && (
        <ExtendForm
          id={extension.formId}
          path={path}
          experiment={experiment}
          onExtended={() => {
            extension.close();
            setChanges((count) => count + 1);
            reload();
          }}
          onCancel={extension.close}
        />
      )}
      {read.error && !read.data && (
        <div className="mt-4">
          <Problem error={read.error} onRetry={read.reload} />
        </div>
      )}
      {cells.length > 0 && isRead && (
        <CellResults {...{ home, cells, experiment, hrefOf, plots, compared }} />
      )}
      {/* Read at once, but not shown before the results, which would push them down. */}
      <div hidden={!wasAgreementRead.current}>
        <AgreementPanel read={agreement} />
        <div
          id="runs"
          className="mt-8 flex flex-wrap items-baseline justify-between gap-3 break-after-avoid-page"
        >
          <h2 className="font-semibold">
            {cell ? `Runs of cell ${cell.cell}` : 'Runs'}
            {chosenCase !== undefined && <span className="font-mono text-sm"> {shortLine(chosenCase)}</span>}
            {(cell || chosenCase !== undefined) && (
              <Link href={home} className={cx(link, 'ml-3 font-normal')}>
                Show all
              </Link>
            )}
          </h2>
          <ExportMenu path={path} />
        </div>
        <RunsTable
          key={`${cell?.cell ?? 'all'} ${chosenCase} ${changes}`}
          path={path}
          cell={cell?.cell}
          caseId={chosenCase}
          total={cell?.runs ?? experiment.total}
          mode={experiment.mode}
          asksThinking={asksThinking(experiment)}
          refresh={untilFinished}
        />
      </div>
    </main>
  );
}

const TASK_CHARS = 200;

/** What each run was asked. */
function PlanTask({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  return (
    <div className="mt-2 max-w-read">
      <p
        className={cx(
          'foreign',
          whole ? 'max-h-[30dvh] overflow-y-auto print:max-h-none' : 'line-clamp-3 print:line-clamp-none',
        )}
      >
        <ForeignText text={text} />
      </p>
      {(text.length > TASK_CHARS || text.includes('\n')) && <ShowAll whole={whole} onChange={setWhole} />}
    </div>
  );
}

/** The suite whose cases are run, in its version. */
function SuiteLine({ suite: { id, name, hash, cases } }: { suite: ExperimentSuite }) {
  const named = <ShortName text={name} />;
  return (
    <p className="tnum mt-1 text-sm text-ink-3">
      {plural(cases, 'case')} of{' '}
      {id === undefined ? (
        named
      ) : (
        <Link href={`/suites/${encodeURIComponent(id)}`} className="underline underline-offset-4">
          {named}
        </Link>
      )}
      , version <code title={hash}>{hash.slice(0, 12)}</code>
    </p>
  );
}

function asksThinking({ plan }: ExperimentSummary): boolean {
  return (plan.settings.think ?? false) !== false;
}
