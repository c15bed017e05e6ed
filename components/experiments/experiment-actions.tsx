'use client';

import type { ExperimentSummary } from '#lib/api/experiment.ts';
import { plural } from '#lib/browser/words/format.ts';
import { Button } from '../ui/button.tsx';
import { DeleteExperiment } from './delete-experiment.tsx';

/** The ID of the button that opens the form for more runs. */
export const EXTEND = 'extend';

/** What can be done with an experiment in its state. */
export function ExperimentActions({
  path,
  experiment,
  busy,
  onAsk,
  onExtend,
}: {
  path: string;
  experiment: ExperimentSummary;
  /** Whether one of them is under way. */
  busy: boolean;
  onAsk: (what: 'stop' | 'continue' | 'retry', body: unknown) => void;
  /** Missing while it is being extended. */
  onExtend: (() => void) | undefined;
}) {
  const active = experiment.status === 'running' || experiment.status === 'waiting';
  // Also one that was stopped sees this run to its end, which can be hours away.
  const inHand = (experiment.running ?? 0) > 0;
  const notRun = experiment.failed + (experiment.not_run ?? 0);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {active && (
        <Button size="sm" disabled={busy} onClick={() => onAsk('stop', {})}>
          Stop after this run
        </Button>
      )}
      {(active || inHand) && (
        <Button
          size="sm"
          kind="quiet"
          className="text-fail"
          disabled={busy}
          onClick={() => onAsk('stop', { force: true })}
        >
          Stop now
        </Button>
      )}
      {onExtend && (
        <Button id={EXTEND} size="sm" disabled={busy} onClick={onExtend}>
          Extend
        </Button>
      )}
      {notRun > 0 && (
        <Button size="sm" disabled={busy} onClick={() => onAsk('retry', {})}>
          Retry {plural(notRun, 'run')} that did not run
        </Button>
      )}
      {experiment.status === 'stopped' && (
        <Button size="sm" disabled={busy} onClick={() => onAsk('continue', {})}>
          Continue
        </Button>
      )}
      {!active && !inHand && <DeleteExperiment path={path} disabled={busy} />}
    </div>
  );
}
