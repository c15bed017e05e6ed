import type { RunSummary } from '#lib/api/run-summary.ts';
import { extentWords, progressOf } from '#lib/browser/words/mode-words.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { TickScale } from '../ui/tick-scale.tsx';

/** How far a run without a limit of iterations came: `2 turns`, `20 cycles`. */
export function extentOf(run: RunSummary): string | undefined {
  if (!run.agentic || modeFacts(run.mode).endsBy === 'max_iterations') return undefined;
  return extentWords(run.mode, progressOf(run));
}

/** Iterations of their limit as ticks; runs without a limit say how far they are. */
export function Progress({ run }: { run: RunSummary }) {
  if (!run.agentic) return null;
  if (modeFacts(run.mode).endsBy === 'max_iterations') {
    return (
      <TickScale
        used={run.iterations_used}
        limit={run.max_iterations}
        label={`${run.iterations_used} of ${run.max_iterations} iterations`}
      />
    );
  }
  return <span className="tnum font-mono text-xs font-normal text-ink-3">{extentOf(run)}</span>;
}
