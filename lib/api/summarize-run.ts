import type { RunConfig } from '../events/config.ts';
import { MODES } from '../events/modes.ts';
import type { RunState } from '../events/run-state.ts';
import { workedMs } from '../events/worked-ms.ts';
import { memoized } from '../util/memoized.ts';
import { shortText } from '../util/short-text.ts';
import type { RunSummary } from './run-summary.ts';

const TITLE_CHARS = 200;

/**
 * Builds the run list row from a folded log. The store updates it with every append.
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
    worked_ms: state.startedAt === undefined ? undefined : wholeMs(workedMs(state, state.updatedAt)),
    termination_reason: state.result?.termination_reason,
    message: ended?.message,
    iterations_used: state.iterationsUsed,
    max_iterations: config.max_iterations,
    turns: state.turns.completed,
    cycles: state.cycle.number,
    tokens_in: state.tokensIn,
    tokens_out: state.tokensOut,
    tokens_estimated: state.tokensEstimated > 0 ? state.tokensEstimated : undefined,
    tool_calls: state.toolCalls,
    cost_usd: state.costUsd,
    verification: ended?.verification,
    outcome: state.outcome,
    stop_requested: state.stop !== undefined,
    last_seq: state.seq,
    ...(state.parent ? { parent: state.parent } : {}),
  };
}

/** The row of an imported run, which counts as ended even if its log has no end. */
export function importedSummary(state: RunState, importedAt: number): RunSummary {
  return { ...summarizeRun(state), phase: 'ended', imported_at: importedAt };
}

/** Computed once per run, because its row is updated with every append. */
const titleOf = memoized(({ title, task, mode }: RunConfig) => {
  const words = (title ?? task).replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return shortText(words === '' ? MODES[mode].run : words, TITLE_CHARS);
});

/** An imported log may name any duration, and PostgreSQL refuses what is too large for its column. */
function wholeMs(ms: number): number {
  return Math.min(Math.round(ms), Number.MAX_SAFE_INTEGER);
}
