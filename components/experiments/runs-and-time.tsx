'use client';

import { useFormContext, useWatch } from 'react-hook-form';
import type { RunListReply } from '#lib/api/replies.ts';
import { getJson } from '#lib/browser/api.ts';
import {
  type ExperimentDraft,
  experimentOf,
  kindOfRuns,
  needsConfirmation,
} from '#lib/browser/drafts/experiment-draft.ts';
import { estimateTime, type RunTime, runTime } from '#lib/browser/state/run-times.ts';
import { formatCount, formatEstimate, plural } from '#lib/browser/words/format.ts';
import { modeAndTools, type RunKind } from '#lib/events/modes.ts';
import { useReading } from '../hooks/use-api.ts';
import { useFormField } from '../ui/form/draft-form.ts';
import { Switch } from '../ui/form/fields.tsx';

/** Earlier runs of a model by which the time is estimated. */
const MEASURED_RUNS = 30;

/** How many runs the form asks for, how long they may take, and the confirmation that many need. */
export function RunsAndTime() {
  const { control } = useFormContext<ExperimentDraft>();
  const runs = useWatch({ control, compute: (draft: ExperimentDraft) => experimentOf(draft).runs });
  const models = useWatch({ control, name: 'models' });
  const mode = useWatch({ control, compute: kindOfRuns });
  const { value: confirmed, set, problem } = useFormField<ExperimentDraft, 'confirmed'>('confirmed');
  return (
    <div className="mr-auto grid gap-2">
      <p className="tnum text-sm text-ink-3">
        <span className="text-ink">{plural(runs, 'run')}</span>
        {models.length > 0 && <Estimate models={models} mode={mode} runsEach={runs / models.length} />}
      </p>
      {needsConfirmation(runs) && (
        <Switch
          label={`Start ${formatCount(runs)} runs`}
          hint={problem ?? 'This many runs take a long time. Confirm to start them.'}
          checked={confirmed === runs}
          onChange={(checked) => set(checked ? runs : 0)}
        />
      )}
    </div>
  );
}

function Estimate({
  models,
  mode,
  runsEach,
}: {
  models: readonly string[];
  mode: RunKind;
  runsEach: number;
}) {
  const { data } = useReading<RunTime[]>({
    key: ['run-times', mode, ...models],
    read: (signal) => Promise.all(models.map((model) => timeOf(model, mode, signal))),
  });
  if (!data) return null;
  const { ms, measured, unknown } = estimateTime(data, runsEach);
  if (measured === 0) return ', time unknown: these models have no earlier runs of this kind';
  const rest = unknown.length === 0 ? '' : `, plus ${plural(unknown.length, 'model')} without earlier runs`;
  return `, ${formatEstimate(ms)}${rest}, by ${plural(measured, 'earlier run')} of this kind`;
}

async function timeOf(model: string, kind: RunKind, signal: AbortSignal): Promise<RunTime> {
  const { mode } = modeAndTools(kind);
  const query = new URLSearchParams({ model, mode, state: 'ended', limit: String(MEASURED_RUNS) });
  const { runs } = await getJson<RunListReply>(`/api/runs?${query}`, signal);
  return runTime(model, kind, runs);
}
