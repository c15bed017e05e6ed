import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';

/** The epoch of a run whose import is not complete. No reader sees such a run or its events, and no worker can claim it. */
export const IMPORTING = -1;

/** The epoch of a run that was deleted and can still be restored. No reader sees it, and no worker can claim it. */
export const DELETED = -2;

/** The family that an imported run joins: that of its parent, if the parent is in this store. */
export const FAMILY_OF_PARENT = `coalesce((select parent.family from runs as parent
  where parent.id = runs.parent_id and parent.epoch > ${IMPORTING}), family)`;

/** One row per run: its epoch and its summary, written in the transaction of each append. */
export interface RunsTable {
  id: string;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** The run's duration; null until it starts. */
  worked_ms: number | null;
  mode: string;
  agentic: number;
  model: string;
  title: string;
  phase: string;
  termination_reason: string | null;
  message: string | null;
  iterations_used: number;
  max_iterations: number;
  /** Turns ended. */
  turns: number;
  cycles: number;
  tokens_in: number;
  tokens_out: number;
  /** How many of both are estimates; null if none. */
  tokens_estimated: number | null;
  tool_calls: number;
  /** In US dollars; null if the model has no price. */
  cost_usd: number | null;
  verification: string | null;
  outcome: string | null;
  checks_failed: number | null;
  checks_total: number | null;
  stop_requested: number;
  last_seq: number;
  /** The run this one was forked from, and the last event copied from there. */
  parent_id: string | null;
  parent_seq: number | null;
  /** When it was imported; null for runs of this installation. */
  imported_at: number | null;
  /**
   * Increases with every claim; an append of an older epoch is refused. -1: an incomplete import, which no reader sees.
   */
  epoch: number;
  /** The worker of the last claim; during an import, the import. */
  worker: string | null;
  /** Number of recoveries after a crash without progress since. */
  recoveries: number;
  /** The last event in the full-text index. */
  indexed_seq: number;
  /** The first run of its family, or its experiment; its own ID for a single run. */
  family: string;
  /** The person's folder; null if the run had its own folder, or none. */
  folder: string | null;
  /** When it was deleted, in milliseconds since 1970; null unless its epoch says so. */
  deleted_at: number | null;
}

/** Annotations of runs; no row for a run without any. */
export interface AnnotationsTable {
  run_id: string;
  title: string | null;
  pinned: number;
  archived: number;
  /** Sorted, as JSON. */
  tags: string;
  note: string | null;
  score: number | null;
}

/** The log. `body` is the event without `run_id`, `seq` and `at`, as JSON. */
interface EventsTable {
  run_id: string;
  seq: number;
  type: string;
  at: number;
  body: string;
}

interface IdempotencyKeysTable {
  key: string;
  run_id: string;
  created_at: number;
}

/** The idempotency keys of experiments and benchmarks. They outlive what they created. */
interface RequestKeysTable {
  kind: string;
  key: string;
  id: string;
  request_hash: string;
  created_at: number;
}

/** How the replies of each model were read, over all runs including deleted ones (P17). */
interface ModelCountsTable {
  model: string;
  /** `replies`, `layer:native`, `format:…`, … (`lib/api/model-reading.ts`). */
  counter: string;
  count: number;
}

/** `body` is the experiment as JSON, as the interface shows it. */
interface ExperimentsTable {
  id: string;
  created_at: number;
  body: string;
}

/** One row per run of an experiment. */
interface ExperimentItemsTable {
  experiment_id: string;
  position: number;
  body: string;
}

/** The cases that an experiment runs, as they were when it was created; `body` is the list as JSON. */
interface ExperimentCasesTable {
  experiment_id: string;
  body: string;
}

/** Links to runs. They outlive their run. `body` is the rest of the record, as JSON. */
export interface SharesTable {
  id: string;
  run_id: string;
  token_hash: string;
  created_at: number;
  revoked_at: number | null;
  views: number;
  last_viewed_at: number | null;
  body: string;
}

/** Check results of a model, by its digest. `summary` and `body` are JSON, as in the API. */
export interface ModelChecksTable {
  model: string;
  digest: string;
  ended_at: number;
  summary: string;
  body: string;
}

/** The figures of every finished check, including replaced ones. */
type ModelCheckHistoryTable = Omit<ModelChecksTable, 'body'>;

/** Prices of models, as set by a person: `body` is the price as JSON. */
interface ModelPricesTable {
  model: string;
  body: string;
}

/** Named settings for runs. `name_key` is unique; `body` is the preset as JSON. */
interface PresetsTable {
  id: string;
  name_key: string;
  created_at: number;
  body: string;
}

/** Suites. `name_key` is unique, `hash` is the current version, and `body` is the record as JSON. */
interface SuitesTable {
  id: string;
  name_key: string;
  hash: string;
  created_at: number;
  body: string;
}

/** The versions of suites, by the hash of their cases; `body` is the list of cases as JSON. */
interface SuiteVersionsTable {
  suite_id: string;
  hash: string;
  cases: number;
  created_at: number;
  body: string;
}

/** Benchmarks; `body` is the record as JSON. `worker` holds it, and `held_at` is its last heartbeat. */
interface BenchmarksTable {
  id: string;
  created_at: number;
  worker: string;
  held_at: number;
  body: string;
}

/** A row per case and model of a benchmark; `evidence` is the request and the reply, as JSON. */
interface BenchmarkResultsTable {
  benchmark_id: string;
  position: number;
  body: string;
  evidence: string;
}

/** Signed-in browsers: only hashes of their secrets. */
interface SignInsTable {
  id: string;
  cookie_hash: string;
  key_hash: string;
  label: string;
  created_at: number;
  last_seen_at: number;
}

/** Approvals for all calls of a tool in a folder. They outlive their run. */
interface StandingApprovalsTable {
  tool: string;
  folder: string;
  id: string;
  run_id: string;
  seq: number;
  created_at: number;
}

/** The bytes of a run's images, each once, under the hash by which its events refer to it. */
interface RunImagesTable {
  run_id: string;
  hash: string;
  type: string;
  data: Buffer;
}

export interface StoreTables {
  run_images: RunImagesTable;
  annotations: AnnotationsTable;
  standing_approvals: StandingApprovalsTable;
  presets: PresetsTable;
  suites: SuitesTable;
  suite_versions: SuiteVersionsTable;
  benchmarks: BenchmarksTable;
  benchmark_results: BenchmarkResultsTable;
  sign_ins: SignInsTable;
  shares: SharesTable;
  model_counts: ModelCountsTable;
  runs: RunsTable;
  events: EventsTable;
  idempotency_keys: IdempotencyKeysTable;
  request_keys: RequestKeysTable;
  experiments: ExperimentsTable;
  experiment_items: ExperimentItemsTable;
  experiment_cases: ExperimentCasesTable;
  model_checks: ModelChecksTable;
  model_check_history: ModelCheckHistoryTable;
  model_prices: ModelPricesTable;
}

/**
 * Builds statements without running them. SQLite is called synchronously, so a transaction can never be left open
 * between two turns of the event loop while an append arrives.
 */
export const sqlite = new Kysely<StoreTables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
