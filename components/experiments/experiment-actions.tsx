'use client';

import type { ExperimentSummary } from '#lib/api/experiment.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { plural } from '#lib/browser/words/format.ts';
import type { InlineForm } from '../hooks/use-inline-form.ts';
import { Button } from '../ui/button.tsx';
import { DeleteExperiment } from './delete-experiment.tsx';

/** The actions for an experiment in its current state. */
export function ExperimentActions({
  path,
  experiment,
  busy,
  onAsk,
  extension,
}: {
  path: string;
  experiment: ExperimentSummary;
  /** Whether one of them is under way. */
  busy: boolean;
  onAsk: (what: 'stop' | 'continue' | 'retry', body: unknown) => void;
  /** The form for more runs. */
  extension: InlineForm;
}) {
  const active = experiment.status === 'running' || experiment.status === 'waiting';
  // Even a stopped experiment finishes this run, which can take hours.
  const hasOpenRun = (experiment.running ?? 0) > 0;
  const notRun = experiment.failed + (experiment.not_run ?? 0);
  return (
    <div ref={keepFocus} className="flex flex-wrap items-center gap-2">
      {experiment.status === 'stopped' && (
        <Button size="sm" disabled={busy} onClick={() => onAsk('continue', {})}>
          Continue
        </Button>
      )}
      {active && (
        <Button size="sm" disabled={busy} onClick={() => onAsk('stop', {})}>
          Stop after this run
        </Button>
      )}
      {(active || hasOpenRun) && (
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
      {!extension.isOpen && (
        <Button id={extension.buttonId} size="sm" disabled={busy} onClick={extension.open}>
          Extend
        </Button>
      )}
      {notRun > 0 && (
        <Button size="sm" disabled={busy} onClick={() => onAsk('retry', {})}>
          Retry {plural(notRun, 'run')} that did not run
        </Button>
      )}
      {!active && !hasOpenRun && <DeleteExperiment path={path} disabled={busy} />}
    </div>
  );
}
