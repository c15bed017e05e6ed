import type Database from 'better-sqlite3';
import { type Compilable, type CompiledQuery, sql } from 'kysely';
import { AppError } from '../../errors/app-error.ts';
import { sqlite } from '../schema.ts';
import { familyBackfill, OWN_FOLDERS } from './family-backfill.ts';
import { OUTCOME_BACKFILL } from './outcome-backfill.ts';
import { TURNS_BACKFILL } from './turns-backfill.ts';
import { workedBackfill } from './worked-backfill.ts';

/**
 * The steps that create the current tables, oldest first. A released step is never changed: a later one changes its
 * result.
 */
const migrations: readonly (() => (Compilable | CompiledQuery)[])[] = [
  () => [
    sqlite.schema
      .createTable('runs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('updated_at', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'integer')
      .addColumn('ended_at', 'integer')
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('agentic', 'integer', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('phase', 'text', (column) => column.notNull())
      .addColumn('termination_reason', 'text')
      .addColumn('message', 'text')
      .addColumn('iterations_used', 'integer', (column) => column.notNull())
      .addColumn('max_iterations', 'integer', (column) => column.notNull())
      .addColumn('tokens_in', 'integer', (column) => column.notNull())
      .addColumn('tokens_out', 'integer', (column) => column.notNull())
      .addColumn('tool_calls', 'integer', (column) => column.notNull())
      .addColumn('verification', 'text')
      .addColumn('stop_requested', 'integer', (column) => column.notNull())
      .addColumn('last_seq', 'integer', (column) => column.notNull())
      .addColumn('epoch', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('worker', 'text')
      .addColumn('recoveries', 'integer', (column) => column.notNull().defaultTo(0)),
    sqlite.schema.createIndex('runs_newest').on('runs').columns(['created_at', 'id']),
    sqlite.schema
      .createIndex('runs_unfinished')
      .on('runs')
      .column('created_at')
      .where(sql.ref('phase'), '!=', sql.lit('ended')),
    // A rowid table: with bodies of a kilobyte, WITHOUT ROWID takes three times the disk.
    sqlite.schema
      .createTable('events')
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('at', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addUniqueConstraint('events_run_seq', ['run_id', 'seq']),
    sqlite.schema
      .createTable('idempotency_keys')
      .addColumn('key', 'text', (column) => column.primaryKey().notNull())
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('created_at', 'integer', (column) => column.notNull()),
  ],
  () => [
    sqlite.schema
      .createTable('model_counts')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('counter', 'text', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_counts_key', ['model', 'counter'])
      .modifyEnd(sql`without rowid`),
    // The replies of existing runs.
    ...[
      `select 'replies' as counter, run_id from parsed union all select 'replies', run_id from swallowed`,
      `select 'none' as counter, run_id from parsed where json_array_length(body, '$.calls') = 0
         union all select 'none', run_id from swallowed`,
      `select 'layer:' || json_extract(call.value, '$.layer') as counter, run_id from parsed, json_each(body, '$.calls') call`,
      `select 'format:' || json_extract(call.value, '$.format') as counter, run_id from parsed, json_each(body, '$.calls') call`,
      `select 'repaired' as counter, run_id from parsed where json_array_length(body, '$.repairs') > 0`,
      `select 'coerced' as counter, run_id from parsed where json_array_length(body, '$.coercions') > 0`,
      `select 'refused' as counter, run_id from parsed, json_each(body, '$.refusals')`,
      `select 'malformed' as counter, run_id from parsed where json_extract(body, '$.malformed')
         union all select 'malformed', run_id from swallowed`,
    ].map((counted) =>
      sql
        .raw(
          `insert into model_counts (model, counter, count)
             with parsed as (select run_id, body from events where type = 'reply.parsed'),
                  swallowed as (select run_id from events where type = 'model-call.failed'
                    and json_extract(body, '$.kind') = 'malformed_call'),
                  counted as (${counted})
             select model, counter, count(*) from counted join runs on runs.id = run_id group by model, counter`,
        )
        .compile(sqlite),
    ),
  ],
  () => [
    sqlite.schema
      .createTable('experiments')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
    sqlite.schema
      .createTable('experiment_items')
      .addColumn('experiment_id', 'text', (column) =>
        column.notNull().references('experiments.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('experiment_items_key', ['experiment_id', 'position']),
  ],
  () => [
    sqlite.schema
      .alterTable('runs')
      .addColumn('cycles', 'integer', (column) => column.notNull().defaultTo(0)),
  ],
  () => [
    sqlite.schema.alterTable('runs').addColumn('parent_id', 'text'),
    sqlite.schema.alterTable('runs').addColumn('parent_seq', 'integer'),
    sqlite.schema
      .createIndex('runs_forks')
      .on('runs')
      .columns(['parent_id', 'created_at'])
      .where(sql.ref('parent_id'), 'is not', sql.lit(null)),
  ],
  () => [
    // No foreign key to the run: a revoked link outlives it.
    sqlite.schema
      .createTable('shares')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('revoked_at', 'integer')
      .addColumn('views', 'integer', (column) => column.notNull())
      .addColumn('last_viewed_at', 'integer')
      .addColumn('body', 'text', (column) => column.notNull()),
    sqlite.schema.createIndex('shares_of_run').on('shares').column('run_id'),
  ],
  () => [
    sqlite.schema
      .alterTable('runs')
      .addColumn('indexed_seq', 'integer', (column) => column.notNull().defaultTo(0)),
    sqlite.schema
      .createIndex('runs_unindexed')
      .on('runs')
      .column('created_at')
      .where(sql.ref('indexed_seq'), '<', sql.ref('last_seq')),
    // The texts are not stored a second time: they are read from the matching events.
    sqlite.schema
      .createTable('search_rows')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('seq', 'integer', (column) => column.notNull()),
    sqlite.schema.createIndex('search_rows_run').on('search_rows').column('run_id'),
    sql
      .raw(
        `create virtual table search_texts using fts5(text, content='', contentless_delete=1,
           tokenize='unicode61 remove_diacritics 2')`,
      )
      .compile(sqlite),
    sql
      .raw(
        `create trigger search_rows_deleted after delete on search_rows
           begin delete from search_texts where rowid = old.id; end`,
      )
      .compile(sqlite),
  ],
  () => [sqlite.schema.alterTable('runs').addColumn('imported_at', 'integer')],
  () => [
    sqlite.schema
      .createTable('model_checks')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('ended_at', 'integer', (column) => column.notNull())
      .addColumn('summary', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_checks_key', ['model', 'digest']),
  ],
  () => [
    sqlite.schema.alterTable('runs').addColumn('tokens_estimated', 'integer'),
    // Replies whose calls Ollama dropped were not counted as unread (lib/parser/swallowed-call.ts).
    sql
      .raw(
        `insert into model_counts (model, counter, count)
           select runs.model, 'malformed', count(*)
             from events parsed
             join events ended on ended.run_id = parsed.run_id and ended.seq = parsed.seq - 1
             join runs on runs.id = parsed.run_id
             where parsed.type = 'reply.parsed' and ended.type = 'model-call.ended'
               and (runs.mode <> 'task' or runs.agentic = 1)
               and json_extract(parsed.body, '$.outcome') = 'empty'
               and not json_extract(parsed.body, '$.malformed')
               and trim(json_extract(parsed.body, '$.thinking')) = ''
               and (coalesce(json_array_length(ended.body, '$.message.tool_calls'), 0) > 0
                 or coalesce(json_extract(ended.body, '$.reply_tokens'), 0)
                   > 1 + length(json_extract(ended.body, '$.message.content')))
             group by runs.model
           on conflict (model, counter) do update set count = count + excluded.count`,
      )
      .compile(sqlite),
  ],
  () => [
    sqlite.schema.alterTable('runs').addColumn('outcome', 'text'),
    sqlite.schema.alterTable('runs').addColumn('checks_failed', 'integer'),
    sqlite.schema.alterTable('runs').addColumn('checks_total', 'integer'),
    ...OUTCOME_BACKFILL.map((statement) => sql.raw(statement).compile(sqlite)),
  ],
  () => [
    sqlite.schema
      .createTable('model_prices')
      .addColumn('model', 'text', (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull()),
    sqlite.schema.alterTable('runs').addColumn('cost_usd', 'real'),
  ],
  () => [
    sqlite.schema
      .createTable('sign_ins')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('cookie_hash', 'text', (column) => column.notNull().unique())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('last_seen_at', 'integer', (column) => column.notNull()),
  ],
  () => [
    sqlite.schema
      .createTable('standing_approvals')
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('folder', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('standing_approvals_key', ['tool', 'folder']),
  ],
  () => [
    sqlite.schema
      .createTable('presets')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name_key', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
  ],
  () => [
    sqlite.schema
      .createTable('annotations')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('title', 'text')
      .addColumn('pinned', 'integer', (column) => column.notNull())
      .addColumn('archived', 'integer', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('note', 'text')
      .addColumn('score', 'integer'),
    sqlite.schema.alterTable('runs').addColumn('family', 'text', (column) => column.notNull().defaultTo('')),
    sqlite.schema.alterTable('runs').addColumn('folder', 'text'),
    sqlite.schema.alterTable('runs').addColumn('deleted_at', 'integer'),
    ...familyBackfill(`json_extract(body, '$.run_id')`).map((statement) =>
      sql.raw(statement).compile(sqlite),
    ),
    sql
      .raw(
        `update runs set folder = (select nullif(json_extract(body, '$.config.workspace'), '') from events
                                     where run_id = runs.id and seq = 1)
           where imported_at is null`,
      )
      .compile(sqlite),
    sql.raw(OWN_FOLDERS).compile(sqlite),
    sqlite.schema.createIndex('runs_family').on('runs').columns(['family', 'created_at', 'id']),
    sqlite.schema
      .createIndex('runs_deleted')
      .on('runs')
      .column('deleted_at')
      .where(sql.ref('deleted_at'), 'is not', sql.lit(null)),
  ],
  () => [
    sqlite.schema
      .createTable('model_check_history')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('ended_at', 'integer', (column) => column.notNull())
      .addColumn('summary', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('model_check_history_key', ['model', 'digest', 'ended_at']),
    sqlite
      .insertInto('model_check_history')
      .columns(['model', 'digest', 'ended_at', 'summary'])
      .expression(sqlite.selectFrom('model_checks').select(['model', 'digest', 'ended_at', 'summary'])),
  ],
  () => [
    sqlite.schema
      .createTable('suites')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name_key', 'text', (column) => column.notNull().unique())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
    sqlite.schema
      .createTable('suite_versions')
      .addColumn('suite_id', 'text', (column) => column.notNull().references('suites.id').onDelete('cascade'))
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('cases', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('suite_versions_key', ['suite_id', 'hash']),
  ],
  () => [
    sqlite.schema
      .createTable('experiment_cases')
      .addColumn('experiment_id', 'text', (column) =>
        column.primaryKey().notNull().references('experiments.id').onDelete('cascade'),
      )
      .addColumn('body', 'text', (column) => column.notNull()),
  ],
  () => [
    sqlite.schema
      .createTable('run_images')
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id').onDelete('cascade'))
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data', 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_images_key', ['run_id', 'hash']),
  ],
  () => [
    sqlite.schema
      .createTable('benchmarks')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addColumn('worker', 'text', (column) => column.notNull())
      .addColumn('held_at', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull()),
    sqlite.schema
      .createTable('benchmark_results')
      .addColumn('benchmark_id', 'text', (column) =>
        column.notNull().references('benchmarks.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('evidence', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('benchmark_results_key', ['benchmark_id', 'position']),
  ],
  () => [
    sqlite.schema.alterTable('runs').addColumn('worked_ms', 'integer'),
    sql.raw(workedBackfill((field) => `json_extract(body, '$.${field}')`)).compile(sqlite),
  ],
  () => [
    // No foreign key: a key outlives what it created, so that a late repetition creates nothing new.
    sqlite.schema
      .createTable('request_keys')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('request_keys_key', ['kind', 'key']),
  ],
  () => [
    sqlite.schema.alterTable('runs').addColumn('turns', 'integer', (column) => column.notNull().defaultTo(0)),
    sql.raw(TURNS_BACKFILL).compile(sqlite),
  ],
];

/** The schema this program writes. */
export const SCHEMA_VERSION = migrations.length;

/**
 * Brings the tables up to date in one transaction: after a crash the schema is the old one or the new one.
 *
 * @throws {AppError} `store_too_new` when a later version of Loupe wrote this database
 */
export function migrate(database: Database.Database, path: string): void {
  database
    .transaction(() => {
      const found = Number(database.pragma('user_version', { simple: true }));
      if (found > SCHEMA_VERSION) {
        throw new AppError({
          code: 'store_too_new',
          message: `The database ${path} was written by a newer Loupe (schema ${found}; this one knows ${SCHEMA_VERSION}).`,
          hint: 'Start the newer version, or set LOUPE_DATA_DIR to another folder.',
        });
      }
      // A database that is up to date is not written to: its disk may be full.
      if (found === SCHEMA_VERSION) return;
      for (const statements of migrations.slice(found)) {
        for (const statement of statements()) {
          database.prepare('compile' in statement ? statement.compile().sql : statement.sql).run();
        }
      }
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    })
    .immediate();
}
