import { z } from 'zod';
import { type ModelCheck, modelCheck } from '../api/model-check.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { type ShareRecord, shareRecord } from '../api/share.ts';
import { summarizeCheck } from '../api/summarize-check.ts';
import { runMode } from '../events/config.ts';
import { type Outcome, type OutcomeKind, outcomeKind, terminationReason } from '../events/termination.ts';
import type { ModelChecksTable, RunsTable, SharesTable } from './schema.ts';
import { IMPORTING } from './schema.ts';

/** The columns that hold the summary: all but the store's own. */
export type SummaryRow = Omit<RunsTable, 'epoch' | 'worker' | 'recoveries' | 'indexed_seq'>;

export function toRow(summary: RunSummary): SummaryRow {
  return {
    id: summary.id,
    created_at: summary.created_at,
    updated_at: summary.updated_at,
    started_at: summary.started_at ?? null,
    ended_at: summary.ended_at ?? null,
    mode: summary.mode,
    agentic: summary.agentic ? 1 : 0,
    model: summary.model,
    title: summary.title,
    phase: summary.phase,
    termination_reason: summary.termination_reason ?? null,
    message: summary.message ?? null,
    iterations_used: summary.iterations_used,
    max_iterations: summary.max_iterations,
    cycles: summary.cycles,
    tokens_in: summary.tokens_in,
    tokens_out: summary.tokens_out,
    tokens_estimated: summary.tokens_estimated ?? null,
    tool_calls: summary.tool_calls,
    cost_usd: summary.cost_usd ?? null,
    verification: summary.verification ?? null,
    outcome: summary.outcome?.kind ?? null,
    checks_failed: summary.outcome?.checks?.failed ?? null,
    checks_total: summary.outcome?.checks?.total ?? null,
    stop_requested: summary.stop_requested ? 1 : 0,
    last_seq: summary.last_seq,
    imported_at: summary.imported_at ?? null,
    parent_id: summary.parent?.run_id ?? null,
    parent_seq: summary.parent?.seq ?? null,
  };
}

/** The row of a new run. @param worker holds it; without one it is unclaimed */
export function newRow(summary: RunSummary, worker?: string): RunsTable {
  const epoch = worker === undefined ? 0 : 1;
  return { ...toRow(summary), epoch, worker: worker ?? null, recoveries: 0, indexed_seq: 0 };
}

/** The row of a run whose events are still to come. The search index passes over it: it looks finished. */
export function importingRow(summary: RunSummary, importId: string): RunsTable {
  return { ...newRow(summary), epoch: IMPORTING, worker: importId, indexed_seq: summary.last_seq };
}

const optional = <T extends z.ZodType>(value: T) => value.nullable().transform((found) => found ?? undefined);
const flag = z.number().transform((value) => value === 1);

const summaryColumns = z.object({
  id: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
  started_at: optional(z.number()),
  ended_at: optional(z.number()),
  mode: runMode,
  agentic: flag,
  model: z.string(),
  title: z.string(),
  phase: z.enum([
    'queued',
    'starting',
    'loading',
    'between',
    'calling',
    'deciding',
    'awaiting-approval',
    'executing',
    'verifying',
    'ended',
  ]),
  termination_reason: optional(terminationReason),
  message: optional(z.string()),
  iterations_used: z.number(),
  max_iterations: z.number(),
  cycles: z.number(),
  tokens_in: z.number(),
  tokens_out: z.number(),
  tokens_estimated: optional(z.number()),
  tool_calls: z.number(),
  cost_usd: optional(z.number()),
  verification: optional(z.enum(['pass', 'partial_pass', 'fail'])),
  outcome: optional(outcomeKind),
  checks_failed: optional(z.number()),
  checks_total: optional(z.number()),
  stop_requested: flag,
  last_seq: z.number(),
  imported_at: optional(z.number()),
  parent_id: optional(z.string()),
  parent_seq: optional(z.number()),
});

/** A row as it comes from disk, checked. */
export const summaryFromRow = summaryColumns.transform(
  ({ parent_id, parent_seq, outcome, checks_failed, checks_total, ...summary }): RunSummary => ({
    ...summary,
    ...(outcome === undefined ? {} : { outcome: storedOutcome(outcome, checks_failed, checks_total) }),
    ...(parent_id === undefined || parent_seq === undefined
      ? {}
      : { parent: { run_id: parent_id, seq: parent_seq } }),
  }),
);

function storedOutcome(kind: OutcomeKind, failed: number | undefined, total: number | undefined): Outcome {
  return failed === undefined || total === undefined ? { kind } : { kind, checks: { failed, total } };
}

/** A link as the columns that are asked for, and the rest of it. */
export function toShareRow(share: ShareRecord): SharesTable {
  const { id, run_id, token_hash, created_at, revoked_at, views, last_viewed_at, ...body } =
    shareRecord.parse(share);
  return {
    ...{ id, run_id, token_hash, created_at, views },
    revoked_at: revoked_at ?? null,
    last_viewed_at: last_viewed_at ?? null,
    body: JSON.stringify(body),
  };
}

/** The row of a check: its JSON and its counts. */
export function checkRow(check: ModelCheck): ModelChecksTable {
  const { model, digest, ended_at } = check;
  return {
    ...{ model, digest, ended_at },
    summary: JSON.stringify(summarizeCheck(check)),
    body: JSON.stringify(modelCheck.parse(check)),
  };
}
