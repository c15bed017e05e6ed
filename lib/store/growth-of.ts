import { countsOf } from '../api/model-reading.ts';
import type { StandingApprovalRecord } from '../api/standing-approval.ts';
import { summarizeRun } from '../api/summarize-run.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { EventRow } from './event-row.ts';
import { toEventRow } from './import-run.ts';
import type { LogGrowth } from './log-growth.ts';

/**
 * Prepares events to be appended.
 *
 * @param state the state after the last event
 * @throws {ZodError} for an event that could not be read back
 */
export function growthOf(events: readonly RunEvent[], state: RunState): LogGrowth {
  return {
    rows: events.map(readableRow),
    counts: [...totalCounts(events)],
    standingApprovals: standingApprovals(events, state),
    summary: summarizeRun(state),
  };
}

/**
 * Events are built from checked values, so they are not validated again, which would cost more than everything else
 * about storing them. Only what types cannot rule out is checked: JSON cannot represent non-finite numbers and writes
 * `null` instead.
 */
function readableRow(event: RunEvent): EventRow {
  const row = toEventRow(event);
  if (row.body.includes('null')) runEvent.parse(event);
  return row;
}

function totalCounts(events: readonly RunEvent[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const event of events) {
    for (const [counter, count] of countsOf(event)) totals.set(counter, (totals.get(counter) ?? 0) + count);
  }
  return totals;
}

/** The last decision for each tool. */
function standingApprovals(
  events: readonly RunEvent[],
  { runId, config }: RunState,
): StandingApprovalRecord[] {
  const byTool = new Map<string, StandingApprovalRecord>();
  for (const event of events) {
    if (event.type !== 'approval.decided' || event.scope !== 'tool_and_folder') continue;
    const { tool, seq, at } = event;
    const folder = config?.workspace ?? '';
    byTool.set(tool, { id: `${runId}-${seq}`, tool, folder, run_id: runId, seq, created_at: at });
  }
  return [...byTool.values()];
}
