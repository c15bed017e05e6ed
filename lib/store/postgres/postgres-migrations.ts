import { type Compilable, type CompiledQuery, sql } from 'kysely';
import { AppError } from '../../errors/app-error.ts';
import { familyBackfill, OWN_FOLDERS } from '../sqlite/family-backfill.ts';
import { OUTCOME_BACKFILL } from '../sqlite/outcome-backfill.ts';
import { TURNS_BACKFILL } from '../sqlite/turns-backfill.ts';
import { workedBackfill } from '../sqlite/worked-backfill.ts';
import { compiled, type PostgresDatabase, type Run, type Statement } from './postgres-database.ts';
import { postgres } from './postgres-schema.ts';
import { jsonIn } from './postgres-text.ts';

/** IDs are compared byte by byte, as in SQLite, whatever the database's locale. */
const id = sql`text collate "C"`;

/**
 * The steps that create the current tables, oldest first. A released step is never changed: a later one changes its
 * result. The tables are those of SQLite (`migrations.ts`), plus what several processes need.
 */
const migrations: readonly (() => (Compilable | CompiledQuery)[])[] = [
  () => [
    postgres.schema
      .createTable('runs')
      .addColumn('id', id, (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('agentic', 'bigint', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('phase', 'text', (column) => column.notNull())
      .addColumn('termination_reason', 'text')
      .addColumn('message', 'text')
      .addColumn('iterations_used', 'bigint', (column) => column.notNull())
      .addColumn('max_iterations', 'bigint', (column) => column.notNull())
      .addColumn('tokens_in', 'bigint', (column) => column.notNull())
      .addColumn('tokens_out', 'bigint', (column) => column.notNull())
      .addColumn('tool_calls', 'bigint', (column) => column.notNull())
      .addColumn('verification', 'text')
      .addColumn('stop_requested', 'bigint', (column) => column.notNull())
      .addColumn('last_seq', 'bigint', (column) => column.notNull())
      .addColumn('epoch', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('worker', 'text')
      .addColumn('recoveries', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('cycles', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('parent_id', id)
      .addColumn('parent_seq', 'bigint'),
    postgres.schema.createIndex('runs_newest').on('runs').columns(['created_at', 'id']),
    postgres.schema
      .createIndex('runs_unfinished')
      .on('runs')
      .column('created_at')
      .where(sql.ref('phase'), '!=', sql.lit('ended')),
    postgres.schema.createIndex('runs_forks').on('runs').column('parent_id'),
    postgres.schema
      .createTable('events')
      .addColumn('run_id', id, (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      // Text, not jsonb: logs contain model output, including NUL characters, and are always read in full.
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('events_run_seq', ['run_id', 'seq']),
    postgres.schema
      .createTable('idempotency_keys')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('run_id', id, (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    postgres.schema
      .createTable('model_counts')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('counter', sql`text collate "C"`, (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_counts_key', ['model', 'counter']),
    postgres.schema
      .createTable('experiments')
      .addColumn('id', id, (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
    postgres.schema
      .createTable('experiment_items')
      .addColumn('experiment_id', id, (column) =>
        column.notNull().references('experiments.id').onDelete('cascade'),
      )
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('experiment_items_key', ['experiment_id', 'position']),
    // In a separate table, so that a heartbeat never waits for an append.
    postgres.schema
      .createTable('leases')
      .addColumn('run_id', id, (column) => column.primaryKey().references('runs.id').onDelete('cascade'))
      .addColumn('epoch', 'bigint', (column) => column.notNull())
      .addColumn('worker', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('until', 'timestamptz', (column) => column.notNull())
      .addColumn('passed_at', 'bigint'),
  ],
  () => [
    // No foreign key to the run: a revoked link outlives it.
    postgres.schema
      .createTable('shares')
      .addColumn('id', id, (column) => column.primaryKey())
      .addColumn('run_id', id, (column) => column.notNull())
      .addColumn('token_hash', id, (column) => column.notNull().unique())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint')
      .addColumn('views', 'bigint', (column) => column.notNull())
      .addColumn('last_viewed_at', 'bigint')
      .addColumn('body', 'text', (column) => column.notNull()),
    postgres.schema.createIndex('shares_of_run').on('shares').column('run_id'),
  ],
  () => [
    postgres.schema
      .alterTable('runs')
      .addColumn('indexed_seq', 'bigint', (column) => column.notNull().defaultTo(0)),
    postgres.schema
      .createIndex('runs_unindexed')
      .on('runs')
      .column('created_at')
      .where(sql.ref('indexed_seq'), '<', sql.ref('last_seq')),
    // Instead of SQLite's full-text table, a column with the words of each event.
    postgres.schema
      .createTable('search_rows')
      .addColumn('id', 'bigserial', (column) => column.primaryKey())
      .addColumn('run_id', id, (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('words', sql`tsvector`, (column) => column.notNull()),
    postgres.schema.createIndex('search_rows_run').on('search_rows').column('run_id'),
    postgres.schema.createIndex('search_rows_words').on('search_rows').using('gin').column('words'),
  ],
  () => [
    postgres.schema
      .createTable('experiment_leases')
      .addColumn('experiment_id', id, (column) =>
        column.primaryKey().references('experiments.id').onDelete('cascade'),
      )
      .addColumn('worker', 'text', (column) => column.notNull())
      .addColumn('until', 'timestamptz', (column) => column.notNull()),
  ],
  () => [postgres.schema.alterTable('runs').addColumn('imported_at', 'bigint')],
  () => [
    postgres.schema
      .createTable('model_checks')
      .addColumn('model', id, (column) => column.notNull())
      .addColumn('digest', id, (column) => column.notNull())
      .addColumn('ended_at', 'bigint', (column) => column.notNull())
      .addColumn('summary', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_checks_key', ['model', 'digest']),
    // Slots at a model server that model checks hold or wait for.
    postgres.schema
      .createTable('place_leases')
      .addColumn('id', id, (column) => column.primaryKey())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('since', 'timestamptz', (column) => column.notNull())
      .addColumn('until', 'timestamptz', (column) => column.notNull()),
  ],
  () => [
    postgres.schema.alterTable('runs').addColumn('tokens_estimated', 'bigint'),
    // Replies whose calls Ollama dropped were not counted as unread. Texts are compared as JSON, escapes included.
    sql
      .raw(
        `insert into model_counts (model, counter, count)
           select runs.model, 'malformed', count(*)
             from events parsed
             join events ended on ended.run_id = parsed.run_id and ended.seq = parsed.seq - 1
             join runs on runs.id = parsed.run_id
             where parsed.type = 'reply.parsed' and ended.type = 'model-call.ended'
               and (runs.mode <> 'task' or runs.agentic = 1)
               and ${jsonIn('parsed.body')} ->> 'outcome' = 'empty'
               and ${jsonIn('parsed.body')} ->> 'malformed' = 'false'
               and (${jsonIn('parsed.body')} -> 'thinking')::text = '""'
               and (coalesce(json_array_length(${jsonIn('ended.body')} #> '{message,tool_calls}'), 0) > 0
                 or coalesce((${jsonIn('ended.body')} ->> 'reply_tokens')::bigint, 0)
                   > length((${jsonIn('ended.body')} #> '{message,content}')::text) - 1)
             group by runs.model
           on conflict (model, counter) do update set count = model_counts.count + excluded.count`,
      )
      .compile(postgres),
  ],
  () => [
    postgres.schema
      .alterTable('runs')
      .addColumn('outcome', 'text')
      .addColumn('checks_failed', 'bigint')
      .addColumn('checks_total', 'bigint'),
    ...OUTCOME_BACKFILL.map((statement) => sql.raw(statement).compile(postgres)),
  ],
  () => [
    postgres.schema
      .createTable('model_prices')
      .addColumn('model', id, (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull()),
    postgres.schema.alterTable('runs').addColumn('cost_usd', 'double precision'),
  ],
  () => [
    postgres.schema
      .createTable('sign_ins')
      .addColumn('id', id, (column) => column.primaryKey())
      .addColumn('cookie_hash', id, (column) => column.notNull().unique())
      .addColumn('key_hash', id, (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_seen_at', 'bigint', (column) => column.notNull()),
  ],
  () => [
    postgres.schema
      .createTable('standing_approvals')
      .addColumn('tool', id, (column) => column.notNull())
      .addColumn('folder', id, (column) => column.notNull())
      .addColumn('id', id, (column) => column.notNull())
      .addColumn('run_id', id, (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('standing_approvals_key', ['tool', 'folder']),
  ],
  () => [
    postgres.schema
      .createTable('presets')
      .addColumn('id', id, (column) => column.primaryKey())
      .addColumn('name_key', id, (column) => column.notNull().unique())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
  ],
  () => [
    postgres.schema
      .createTable('annotations')
      .addColumn('run_id', id, (column) => column.primaryKey().references('runs.id').onDelete('cascade'))
      .addColumn('title', 'text')
      .addColumn('pinned', 'bigint', (column) => column.notNull())
      .addColumn('archived', 'bigint', (column) => column.notNull())
      .addColumn('tags', id, (column) => column.notNull())
      .addColumn('note', 'text')
      .addColumn('score', 'bigint'),
    postgres.schema
      .alterTable('runs')
      .addColumn('family', id, (column) => column.notNull().defaultTo(''))
      .addColumn('folder', id)
      .addColumn('deleted_at', 'bigint'),
    // A value is found without parsing the whole text as JSON: text of models may contain characters that a
    // text column cannot hold.
    ...familyBackfill(`substring(body from '"run_id":"([a-z0-9-]+)"')`).map((statement) =>
      sql.raw(statement).compile(postgres),
    ),
    sql
      .raw(
        `update runs set folder = (select nullif((${jsonIn('body')} #> '{config,workspace}')::text, '""')::json #>> '{}'
                                     from events where run_id = runs.id and seq = 1)
           where imported_at is null`,
      )
      .compile(postgres),
    sql.raw(OWN_FOLDERS).compile(postgres),
    postgres.schema.createIndex('runs_family').on('runs').columns(['family', 'created_at', 'id']),
    postgres.schema
      .createIndex('runs_deleted')
      .on('runs')
      .column('deleted_at')
      .where(sql.ref('deleted_at'), 'is not', sql.lit(null)),
  ],
  () => [
    postgres.schema
      .createTable('model_check_history')
      .addColumn('model', id, (column) => column.notNull())
      .addColumn('digest', id, (column) => column.notNull())
      .addColumn('ended_at', 'bigint', (column) => column.notNull())
      .addColumn('summary', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_check_history_key', ['model', 'digest', 'ended_at']),
    postgres
      .insertInto('model_check_history')
      .columns(['model', 'digest', 'ended_at', 'summary'])
      .expression(postgres.selectFrom('model_checks').select(['model', 'digest', 'ended_at', 'summary'])),
  ],
  () => [
    postgres.schema
      .createTable('suites')
      .addColumn('id', id, (column) => column.primaryKey().notNull())
      .addColumn('name_key', id, (column) => column.notNull().unique())
      .addColumn('hash', id, (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
    postgres.schema
      .createTable('suite_versions')
      .addColumn('suite_id', id, (column) => column.notNull().references('suites.id').onDelete('cascade'))
      .addColumn('hash', id, (column) => column.notNull())
      .addColumn('cases', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('suite_versions_key', ['suite_id', 'hash']),
  ],
  () => [
    postgres.schema
      .createTable('experiment_cases')
      .addColumn('experiment_id', id, (column) =>
        column.primaryKey().notNull().references('experiments.id').onDelete('cascade'),
      )
      .addColumn('body', 'text', (column) => column.notNull()),
  ],
  () => [
    postgres.schema
      .createTable('run_images')
      .addColumn('run_id', id, (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('hash', id, (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data', 'bytea', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_images_key', ['run_id', 'hash']),
  ],
  () => [
    postgres.schema
      .createTable('benchmarks')
      .addColumn('id', id, (column) => column.primaryKey().notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('worker', id, (column) => column.notNull())
      .addColumn('held_at', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
    postgres.schema
      .createTable('benchmark_results')
      .addColumn('benchmark_id', id, (column) =>
        column.notNull().references('benchmarks.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('evidence', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('benchmark_results_key', ['benchmark_id', 'position']),
  ],
  () => [
    postgres.schema.alterTable('runs').addColumn('worked_ms', 'bigint'),
    sql
      .raw(workedBackfill((field) => `substring(body from '"${field}":([0-9.eE+-]+)')::double precision`))
      .compile(postgres),
  ],
  () => [
    // No foreign key: a key outlives what it created, so that a late repetition creates nothing new.
    postgres.schema
      .createTable('request_keys')
      .addColumn('kind', id, (column) => column.notNull())
      .addColumn('key', id, (column) => column.notNull())
      .addColumn('id', id, (column) => column.notNull())
      .addColumn('request_hash', id, (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('request_keys_key', ['kind', 'key']),
  ],
  () => [
    postgres.schema
      .alterTable('runs')
      .addColumn('turns', 'bigint', (column) => column.notNull().defaultTo(0)),
    sql.raw(TURNS_BACKFILL).compile(postgres),
  ],
];

/** The schema this program writes. */
export const POSTGRES_SCHEMA_VERSION = migrations.length;

/** An advisory lock key that no other program uses in this database; its holder creates the tables. */
const MIGRATION_LOCK = 0x10_09_e5;

/**
 * A database in Latin 1, for example, cannot store an emoji, so any run could fail at any event. SQL_ASCII accepts
 * every byte, but its search only finds words with Latin letters, and JSON with an escape like `\ufffd` cannot be read.
 */
async function refuseOtherEncodings(run: Run, place: string): Promise<void> {
  const [row] = await run({
    sql: `select current_setting('server_encoding') as encoding`,
    parameters: [],
  });
  const encoding = String(row?.encoding);
  if (encoding === 'UTF8') return;
  throw new AppError({
    code: 'store_encoding',
    message: `The PostgreSQL database ${place} has the encoding ${encoding}, and Loupe needs UTF8. It was not changed.`,
    hint: `Set LOUPE_DATABASE_URL to a database with UTF8: create database loupe encoding 'UTF8' template template0. To keep runs that you have, copy them first: pg_dump OLD | psql NEW`,
  });
}

/**
 * Brings the tables up to date in one transaction, one process at a time.
 *
 * @throws {AppError} `store_too_new` when a later version of Loupe wrote this database, `store_encoding` when its
 *   encoding is not UTF8
 */
export function migratePostgres(database: PostgresDatabase): Promise<void> {
  const migrated = async (run: Run) => {
    // Rewriting a large table may exceed the usual time limit of statements, and so may waiting for another
    // process that does it.
    await run({ sql: 'set local statement_timeout = 0', parameters: [] });
    await run({ sql: 'select pg_advisory_xact_lock($1)', parameters: [MIGRATION_LOCK] });
    await refuseOtherEncodings(run, database.place);
    const found = await versionOf(run);
    const newer = tooNew(found, database.place);
    if (newer) throw newer;
    for (const statements of migrations.slice(found)) {
      for (const statement of statements()) await run(statementOf(statement));
    }
    await run({ sql: 'update loupe_schema set version = $1', parameters: [POSTGRES_SCHEMA_VERSION] });
  };
  return database.transaction(migrated, { answerMs: 0 });
}

/** Checks whether a later version of Loupe has migrated the database meanwhile. */
export async function findNewerSchema({ run, place }: PostgresDatabase): Promise<AppError | undefined> {
  const sql = 'select version from loupe_schema';
  const [row] = await run({ name: 'loupe_version', sql, parameters: [] });
  return tooNew(Number(row?.version), place);
}

function tooNew(found: number, place: string): AppError | undefined {
  if (found <= POSTGRES_SCHEMA_VERSION) return undefined;
  return new AppError({
    code: 'store_too_new',
    message: `The database ${place} was written by a newer Loupe (schema ${found}; this one knows ${POSTGRES_SCHEMA_VERSION}).`,
    hint: 'Start the newer version, or set LOUPE_DATABASE_URL to another database.',
  });
}

async function versionOf(run: Run): Promise<number> {
  await run({ sql: 'create table if not exists loupe_schema (version bigint not null)', parameters: [] });
  await run({
    sql: 'insert into loupe_schema select 0 where not exists (select from loupe_schema)',
    parameters: [],
  });
  const [row] = await run({ sql: 'select version from loupe_schema', parameters: [] });
  return Number(row?.version);
}

function statementOf(statement: Compilable | CompiledQuery): Statement {
  return 'compile' in statement ? compiled(statement) : { sql: statement.sql, parameters: [] };
}
