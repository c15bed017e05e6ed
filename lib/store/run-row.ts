import { z } from 'zod';
import { type ModelCheck, modelCheck } from '../api/model-check.ts';
import { annotated, type RunAnnotations } from '../api/run-annotations.ts';
import { type RunExtras, type RunSummary, withExtras } from '../api/run-summary.ts';
import { type ShareRecord, shareRecord } from '../api/share.ts';
import { summarizeCheck } from '../api/summarize-check.ts';
import { runMode } from '../events/config.ts';
import { RUN_PHASES } from '../events/run-phase.ts';
import {
  type Outcome,
  type OutcomeKind,
  outcomeKind,
  terminationReason,
  verificationOutcome,
} from '../events/termination.ts';
import type { AnnotationsTable, ModelChecksTable, RunsTable, SharesTable } from './schema.ts';
import { IMPORTING } from './schema.ts';

/** The columns with the summary of the log: all except the store's own. */
export type SummaryRow = Omit<
  RunsTable,
  'epoch' | 'worker' | 'recoveries' | 'indexed_seq' | 'family' | 'folder' | 'deleted_at'
>;

/** Where a new run belongs (`RunSummary`). */
export interface RunPlace {
  family?: string;
  folder?: string;
}

export function toRow(summary: RunSummary): SummaryRow {
  return {
    id: summary.id,
    created_at: summary.created_at,
    updated_at: summary.updated_at,
    started_at: summary.started_at ?? null,
    ended_at: summary.ended_at ?? null,
    worked_ms: summary.worked_ms ?? null,
    mode: summary.mode,
    agentic: summary.agentic ? 1 : 0,
    model: summary.model,
    title: summary.title,
    phase: summary.phase,
    termination_reason: summary.termination_reason ?? null,
    message: summary.message ?? null,
    iterations_used: summary.iterations_used,
    max_iterations: summary.max_iterations,
    turns: summary.turns,
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

/** The row of a new run. @param options.worker the worker that claims it, if any */
export function newRow(
  summary: RunSummary,
  { worker, family, folder }: RunPlace & { worker?: string } = {},
): RunsTable {
  return {
    ...toRow(summary),
    epoch: worker === undefined ? 0 : 1,
    worker: worker ?? null,
    recoveries: 0,
    indexed_seq: 0,
    // A run whose parent is not in this store forms a family with the other forks of that parent.
    family: family ?? summary.parent?.run_id ?? summary.id,
    folder: folder ?? null,
    deleted_at: null,
  };
}

/** The row of a run whose events are still to come. The search index skips it, because it looks finished. */
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
  worked_ms: optional(z.number()),
  mode: runMode,
  agentic: flag,
  model: z.string(),
  title: z.string(),
  phase: z.enum(RUN_PHASES),
  termination_reason: optional(terminationReason),
  message: optional(z.string()),
  iterations_used: z.number(),
  max_iterations: z.number(),
  turns: z.number(),
  cycles: z.number(),
  tokens_in: z.number(),
  tokens_out: z.number(),
  tokens_estimated: optional(z.number()),
  tool_calls: z.number(),
  cost_usd: optional(z.number()),
  verification: optional(verificationOutcome),
  outcome: optional(outcomeKind),
  checks_failed: optional(z.number()),
  checks_total: optional(z.number()),
  stop_requested: flag,
  last_seq: z.number(),
  imported_at: optional(z.number()),
  parent_id: optional(z.string()),
  parent_seq: optional(z.number()),
  family: z.string(),
  folder: optional(z.string()),
  own_title: optional(z.string()),
  pinned: optional(z.number()),
  archived: optional(z.number()),
  tags: optional(z.string()),
  note: optional(z.string()),
  score: optional(z.number()),
});

/** The columns of `annotations` next to those of `runs`, where `title` would hide the run's own title. */
export const ANNOTATION_COLUMNS = [
  'annotations.title as own_title',
  'annotations.pinned',
  'annotations.archived',
  'annotations.tags',
  'annotations.note',
  'annotations.score',
] as const;

const annotationColumns = summaryColumns.pick({
  own_title: true,
  pinned: true,
  archived: true,
  tags: true,
  note: true,
  score: true,
});
type AnnotationColumns = z.output<typeof annotationColumns>;

const storedTags = z.array(z.string());

function annotationsOf(columns: AnnotationColumns): RunAnnotations | undefined {
  const { own_title, pinned, archived, tags, note, score } = columns;
  // `annotated` omits unset fields.
  return annotated(undefined, {
    title: own_title,
    pinned: pinned === 1,
    archived: archived === 1,
    tags: tags === undefined ? [] : storedTags.parse(JSON.parse(tags)),
    note,
    score,
  });
}

/** The stored data of a run besides its log. */
export const extrasFromRow = summaryColumns
  .pick({ id: true, family: true, folder: true })
  .extend(annotationColumns.shape)
  .transform(({ id, family, folder, ...columns }): RunExtras => extrasOf(id, { family, folder, columns }));

function extrasOf(
  id: string,
  { family, folder, columns }: { family: string; folder: string | undefined; columns: AnnotationColumns },
): RunExtras {
  const annotations = annotationsOf(columns);
  return {
    ...(family === id ? {} : { family }),
    ...(folder === undefined ? {} : { folder }),
    ...(annotations ? { annotations } : {}),
  };
}

/** The row of a run's annotations. */
export function annotationRow(runId: string, annotations: RunAnnotations): AnnotationsTable {
  const { title = null, pinned, archived, tags = [], note = null, score = null } = annotations;
  return {
    ...{ run_id: runId, title, note, score },
    pinned: pinned ? 1 : 0,
    archived: archived ? 1 : 0,
    tags: JSON.stringify(tags),
  };
}

/** A validated row from disk. */
export const summaryFromRow = summaryColumns.transform((row): RunSummary => {
  const { parent_id, parent_seq, outcome, checks_failed, checks_total, ...columns } = row;
  const { family, folder, own_title, pinned, archived, tags, note, score, ...summary } = columns;
  const annotations = { own_title, pinned, archived, tags, note, score };
  const own: RunSummary = {
    ...summary,
    ...(outcome === undefined ? {} : { outcome: storedOutcome(outcome, checks_failed, checks_total) }),
    ...(parent_id === undefined || parent_seq === undefined
      ? {}
      : { parent: { run_id: parent_id, seq: parent_seq } }),
  };
  return withExtras(own, extrasOf(row.id, { family, folder, columns: annotations }));
});

function storedOutcome(kind: OutcomeKind, failed: number | undefined, total: number | undefined): Outcome {
  return failed === undefined || total === undefined ? { kind } : { kind, checks: { failed, total } };
}

/** A link as searchable columns and a JSON body. */
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
