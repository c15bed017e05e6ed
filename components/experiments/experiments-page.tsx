'use client';

import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import type { ExperimentListReply, ExperimentSummary } from '#lib/api/experiment.ts';
import { formatCount, formatWhen, plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine, shortLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import { useInlineForm } from '../hooks/use-inline-form.ts';
import { useNow } from '../hooks/use-now.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { ExperimentForm } from './experiment-form.tsx';
import { STATUS_WORDS } from './experiment-words.ts';
import { PlanFileDialog } from './plan-file-dialog.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { StudiesPanel } from './studies-panel.tsx';

/** Sets of runs with one plan, and the form for a new one. */
export function ExperimentsPage() {
  const { data, error, reload } = useApi<ExperimentListReply>('/api/experiments', 3000);
  // A suite links here to be run.
  const withSuite = useSearchParams().has('suite');
  const form = useInlineForm(withSuite);
  const [opening, setOpening] = useState(false);
  const none = data?.experiments.length === 0;
  // Keep the form open if another page starts the first experiment, so that no input is lost.
  if (none && !form.isOpen) form.show();
  return (
    <ListPage
      title="Experiments"
      about="One plan, many runs: every model with every combination of settings and every seed, in an order that loads models as rarely as possible."
      actions={
        data && (
          <>
            <Button size="sm" className="max-sm:h-11" onClick={() => setOpening(true)}>
              Open a plan file
            </Button>
            {!form.isOpen && !none && (
              <Button id={form.buttonId} size="sm" className="max-sm:h-11" onClick={form.open}>
                New experiment
              </Button>
            )}
          </>
        )
      }
      loading={!data && !error}
      error={!data && error}
      onRetry={reload}
    >
      {form.isOpen && (
        <ExperimentForm
          id={form.formId}
          work={withSuite ? 'suite' : 'task'}
          onCancel={none ? undefined : form.close}
        />
      )}
      {data && !none && (
        <ul className="mt-6 divide-y border-y">
          {data.experiments.map((experiment) => (
            <li key={experiment.id}>
              <ExperimentLine experiment={experiment} />
            </li>
          ))}
        </ul>
      )}
      {/* Read at once, but not shown before the list, which would push them down. */}
      <div hidden={!data && !error}>
        <StudiesPanel />
      </div>
      <PlanFileDialog open={opening} onClose={() => setOpening(false)} />
    </ListPage>
  );
}

function ExperimentLine({ experiment }: { experiment: ExperimentSummary }) {
  const now = useNow();
  const { label, tone } = STATUS_WORDS[experiment.status];
  const { plan, failed, not_run = 0 } = experiment;
  const notRun = failed + not_run;
  return (
    <Link
      href={`/experiments/${encodeURIComponent(experiment.id)}`}
      className="group -mx-3 grid items-center grid-cols-[minmax(min-content,1fr)_auto] gap-x-6 gap-y-1.5 rounded-md px-3 py-3 hover:bg-surface sm:grid-cols-[minmax(0,1fr)_8rem_5rem_5rem]"
    >
      <span className="min-w-0 max-sm:col-span-2">
        <span
          className="foreign line-clamp-2 font-medium group-hover:text-brass md:line-clamp-1"
          title={plainVisibleLine(experiment.name)}
        >
          <ShortName text={experiment.name} />
        </span>
        <span className="tnum text-sm text-ink-3">
          {experiment.suite
            ? `${shortLine(experiment.suite.name)}, ${plural(experiment.suite.cases, 'case')}`
            : kindFacts(experiment.mode).runs}{' '}
          · {plural(plan.models.length, 'model')} · {plural(experiment.total, 'run')}
          {notRun > 0 && `, ${formatCount(notRun)} did not run`}
        </span>
      </span>
      <span className="max-sm:col-span-2">
        <ProgressBar experiment={experiment} />
      </span>
      <span className="flex items-center gap-2">
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span className="tnum text-right font-mono text-xs text-ink-3" suppressHydrationWarning>
        {formatCount(experiment.done + experiment.failed)}/{formatCount(experiment.total)}
        <span className="ml-3 sm:ml-0 sm:block">{formatWhen(experiment.created_at, now)}</span>
      </span>
    </Link>
  );
}
