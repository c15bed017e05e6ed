import type { EventRow } from '../event-row.ts';
import { type LogGrowth, seqBefore } from '../log-growth.ts';
import { toRow } from '../run-row.ts';
import type { TextRange } from '../run-store.ts';
import { IMPORTING } from '../schema.ts';
import type { Statement } from './postgres-database.ts';

/** The author of an append: the worker that holds the run in this epoch, or a person, who holds nothing. */
export type Fence = { epoch: number } | 'by a person';

const EVENT_COLUMNS =
  'unnest($4::bigint[], $5::text[], $6::text[], $9::bigint[]) as event (seq, type, body, at)';
const COUNT_COLUMNS = 'unnest($7::text[], $8::bigint[]) as counted (counter, count)';
const APPROVAL_COLUMNS =
  'unnest($10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[]) as approved (id, tool, folder, seq, at)';
/** The summary columns that an append changes. */
const CHANGING = [
  ...([
    'updated_at',
    'started_at',
    'ended_at',
    'worked_ms',
    'phase',
    'termination_reason',
    'message',
    'iterations_used',
  ] as const),
  ...([
    'turns',
    'cycles',
    'tokens_in',
    'tokens_out',
    'tokens_estimated',
    'tool_calls',
    'cost_usd',
    'verification',
    'outcome',
    'checks_failed',
    'checks_total',
    'stop_requested',
    'last_seq',
  ] as const),
];
const FIRST_CHANGING = 15;

/** A single statement, so that it is atomic and takes one round trip. */
const APPEND = {
  held: appendSql('epoch = $3 and $3 > 0'),
  byPerson: appendSql('$3::bigint is null'),
};

function appendSql(fence: string): string {
  const changes = CHANGING.map((column, index) => `${column} = $${FIRST_CHANGING + index}`).join(', ');
  return `
    with held as (update runs set ${changes}
                  where id = $1 and last_seq = $2 and ${fence} and phase <> 'ended' returning id, model),
         stored as (insert into events (run_id, seq, type, at, body)
                    select held.id, event.seq, event.type, event.at, event.body from held, ${EVENT_COLUMNS}),
         counts as (insert into model_counts (model, counter, count)
                    select held.model, counted.counter, counted.count from held, ${COUNT_COLUMNS}
                    on conflict (model, counter) do update set count = model_counts.count + excluded.count),
         approvals as (insert into standing_approvals (id, tool, folder, run_id, seq, created_at)
                    select approved.id, approved.tool, approved.folder, held.id, approved.seq, approved.at
                      from held, ${APPROVAL_COLUMNS}
                    on conflict (tool, folder) do update set id = excluded.id, run_id = excluded.run_id,
                      seq = excluded.seq, created_at = excluded.created_at)
    select id from held`;
}

/**
 * Appends events with everything that depends on them. It returns no row, and writes nothing, if the fence does not hold, the
 * run has other events, or it has ended.
 */
export function appendStatement(
  fence: Fence,
  { rows, counts, standingApprovals, summary }: LogGrowth,
): Statement {
  const ordered = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)); // one order, so that no two wait for each other
  const row = toRow(summary);
  const held = fence !== 'by a person';
  return {
    name: held ? 'loupe_append' : 'loupe_intervene',
    sql: held ? APPEND.held : APPEND.byPerson,
    parameters: [
      summary.id,
      seqBefore(rows),
      held ? fence.epoch : null,
      rows.map(({ seq }) => seq),
      rows.map(({ type }) => type),
      rows.map(({ body }) => body),
      ordered.map(([counter]) => counter),
      ordered.map(([, count]) => count),
      rows.map(({ at }) => at),
      standingApprovals.map(({ id }) => id),
      standingApprovals.map(({ tool }) => tool),
      standingApprovals.map(({ folder }) => folder),
      standingApprovals.map(({ seq }) => seq),
      standingApprovals.map(({ created_at }) => created_at),
      ...CHANGING.map((column) => row[column]),
    ],
  };
}

/** Whether the run $1 may be read: an incomplete import may not. */
const COMPLETE = `(select epoch from runs where id = $1) > ${IMPORTING}`;

export function eventsAfter(
  runId: string,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Statement {
  return {
    name: 'loupe_read',
    sql: `select run_id, seq, at, body from events where run_id = $1 and seq > $2 and ${COMPLETE} order by seq limit $3`,
    parameters: [runId, afterSeq, limit],
  };
}

/** Events as JSON: as many as `limit` and `maxChars` allow, but always the first. */
export function textsAfter(runId: string, { afterSeq, limit, maxChars }: TextRange): Statement {
  return {
    name: 'loupe_read_texts',
    sql: `select run_id, seq, at, type, body
            from (select *, sum(length(body)) over (order by seq) - length(body) as chars_before
                    from (select run_id, seq, at, type, body from events
                            where run_id = $1 and seq > $2 and ${COMPLETE} order by seq limit $3) as page) as measured
            where chars_before < $4 order by seq`,
    parameters: [runId, afterSeq, limit, maxChars],
  };
}

export function insertEvents(runId: string, rows: readonly EventRow[]): Statement {
  return {
    sql: `insert into events (run_id, seq, type, at, body)
          select $1, event.* from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) as event`,
    parameters: [runId, ...eventColumns(rows)],
  };
}

/** The columns seq, type, at and body of events. */
export function eventColumns(rows: readonly EventRow[]): unknown[] {
  return [
    rows.map(({ seq }) => seq),
    rows.map(({ type }) => type),
    rows.map(({ at }) => at),
    rows.map(({ body }) => body),
  ];
}
