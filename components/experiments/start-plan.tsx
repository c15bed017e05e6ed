'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import type { ExperimentReply, ExperimentRequest } from '#lib/api/experiment.ts';
import { createOnce } from '#lib/browser/create-once.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { MAX_UNCONFIRMED_RUNS } from '#lib/events/limits.ts';
import { distinctModels } from '#lib/util/model-name.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ModelChecklist } from './model-checklist.tsx';

/** Starts a plan with the models that a person ticks. */
export function StartPlan({
  plan,
  models,
  runsPerModel,
  onCancel,
  children,
}: {
  plan: Omit<ExperimentRequest, 'models'>;
  /** Ticked at first. */
  models: readonly string[];
  runsPerModel: number;
  onCancel: () => void;
  /** Above the models. */
  children?: ReactNode;
}) {
  const router = useRouter();
  const [chosen, setChosen] = useState(models);
  const [missing, setMissing] = useState(false);
  /** The number of runs that was confirmed: another number is not. */
  const [confirmed, setConfirmed] = useState(0);
  const { busy, problem, run } = useRequest();
  const total = runsPerModel * distinctModels(chosen).length;
  const asksFirst = total > MAX_UNCONFIRMED_RUNS;
  const isConfirmed = confirmed === total;
  const start = () => {
    setMissing(chosen.length === 0);
    if (chosen.length === 0) return;
    void run(async () => {
      const { experiment } = await createOnce<ExperimentReply>('/api/experiments', {
        ...plan,
        models: [...chosen],
        ...(asksFirst ? { confirm_runs: total } : {}),
      });
      router.push(`/experiments/${encodeURIComponent(experiment.id)}`);
      return LEAVING;
    });
  };
  return (
    <div className="grid gap-4">
      {children}
      <div>
        <h3 className="mb-1.5 text-sm font-medium">Models</h3>
        <ModelChecklist
          chosen={chosen}
          onChange={setChosen}
          problem={missing ? 'Choose a model.' : undefined}
        />
      </div>
      {problem && <ErrorNote error={problem} />}
      {asksFirst && (
        <label className="flex items-center gap-3 text-sm">
          <input
            type="checkbox"
            className="accent-brass-fill"
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.target.checked ? total : 0)}
          />
          Start all {formatCount(total)} runs
        </label>
      )}
      <div className="flex flex-wrap items-center justify-end gap-3">
        <span className="tnum mr-auto text-sm text-ink-2">
          {chosen.length === 0 ? `${plural(runsPerModel, 'run')} per model` : plural(total, 'run')}
        </span>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button kind="primary" disabled={busy || (asksFirst && !isConfirmed)} onClick={start}>
          {busy ? 'Starting' : 'Start experiment'}
        </Button>
      </div>
    </div>
  );
}
