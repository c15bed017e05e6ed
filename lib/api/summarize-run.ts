import type { RunConfig } from '../events/config.ts';
import type { RunState } from '../events/run-state.ts';
import { shortText } from '../util/short-text.ts';
import type { RunSummary } from './run-summary.ts';

const TITLE_CHARS = 200;

/**
 * The row of a run in the run list, from its folded log. The store keeps it up to date with every append.
 *
 * @throws {RangeError} for a log without `run.created`
 */
export function summarizeRun(state: RunState): RunSummary {
  const { config, ended } = state;
  if (!config) throw new RangeError(`Run ${state.runId} has no run.created event`);
  return {
    id: state.runId,
    mode: config.mode,
    agentic: config.agentic,
    model: config.model,
    title: titleOf(config),
    phase: state.phase,
    created_at: state.createdAt,
    started_at: state.startedAt,
    ended_at: ended?.at,
    updated_at: state.updatedAt,
    termination_reason: state.result?.termination_reason,
    message: ended?.message,
    iterations_used: state.iterationsUsed,
    max_iterations: config.max_iterations,
    cycles: state.cycle.number,
    tokens_in: state.tokensIn,
    tokens_out: state.tokensOut,
    tool_calls: state.toolCalls,
    verification: ended?.verification,
    stop_requested: state.stop !== undefined,
    last_seq: state.seq,
    ...(state.parent ? { parent: state.parent } : {}),
  };
}

/** The row of a run that came as a file: it is over here, whatever its log says. */
export function importedSummary(state: RunState, importedAt: number): RunSummary {
  return { ...summarizeRun(state), phase: 'ended', imported_at: importedAt };
}

const MODE_TITLES: Readonly<Record<RunConfig['mode'], string>> = {
  task: 'Task',
  session: 'Session',
  explore: 'Exploration',
};

function titleOf({ title, task, mode }: RunConfig): string {
  const words = (title ?? task).replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return shortText(words === '' ? MODE_TITLES[mode] : words, TITLE_CHARS);
}
