import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { Facet, FacetsReply } from '../api/facets.ts';
import type { RunFamily } from '../api/run-family.ts';
import { filterWords, type RunFilter } from '../api/run-filter.ts';
import { NEWEST_FIRST, type RunSort } from '../api/run-order.ts';
import { OUTCOMES, outcomeRank } from '../events/outcome.ts';
import { OPERATOR_PHASES } from '../events/run-phase.ts';
import { outcomeKind } from '../events/termination.ts';
import { fullName, namesOfModel } from '../util/model-name.ts';
import { keysOf } from '../util/records.ts';
import type { ListPage } from './list-page.ts';
import { ANNOTATION_COLUMNS } from './run-row.ts';
import { IMPORTING, type StoreTables } from './schema.ts';

/** The parts that differ between the two SQL dialects. */
export interface ListDialect {
  /** Whether a text contains a word, which is already in lower case (A to Z). */
  holds(text: Expression<string>, word: string): Expression<SqlBool>;
  /** Whether a text includes another, byte by byte. */
  includes(text: Expression<string>, part: string): Expression<SqlBool>;
  /** Compares a text by its UTF-8 bytes. */
  bytewise(text: Expression<string>): Expression<string>;
}

/** The names under which a query uses `runs` and `annotations`. */
interface Names {
  runs: string;
  annotations: string;
}

const NAMES: Names = { runs: 'runs', annotations: 'annotations' };
/** The names in the subquery for newer runs of the same family. */
const NEWER: Names = { runs: 'newer', annotations: 'newer_annotations' };

/** Runs with their annotations, as `summaryFromRow` reads them. */
export function selectRuns(db: Kysely<StoreTables>) {
  return db
    .selectFrom('runs')
    .leftJoin('annotations', 'annotations.run_id', 'runs.id')
    .selectAll('runs')
    .select(ANNOTATION_COLUMNS);
}

/** One page of the run list. The same rules as `passesFilter` and `compareRuns`. */
export function listQuery(db: Kysely<StoreTables>, page: ListPage, dialect: ListDialect) {
  const { limit, after, filter = {}, order = NEWEST_FIRST, oneOfFamily = false } = page;
  const { direction } = order;
  const value = sortColumn(order.by, dialect);
  const comes = direction === 'asc' ? sql.raw('>') : sql.raw('<');
  return selectRuns(db)
    .where('runs.epoch', '>', IMPORTING)
    .where(({ and }) => and(conditions(filter, { names: NAMES, dialect })))
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(${value}, runs.id) ${comes} (${after?.value ?? 0}, ${after?.id ?? ''})`),
    )
    .$if(oneOfFamily, (query) => query.where(newestOfFamily(filter, dialect)))
    .orderBy(value, direction)
    .orderBy('runs.id', direction)
    .limit(limit);
}

function sortColumn(by: RunSort, dialect: ListDialect): RawBuilder<number | string> {
  switch (by) {
    case 'created':
      return sql`runs.created_at`;
    case 'title':
      return sql`${dialect.bytewise(titleOf(NAMES))}`;
    case 'model':
      return sql`${dialect.bytewise(sql`runs.model`)}`;
    case 'folder':
      return sql`${dialect.bytewise(sql`coalesce(runs.folder, ${sql.lit('')})`)}`;
    case 'outcome':
      return sql`case runs.outcome ${sql.join(RANKS, sql` `)} else -1 end`;
    case 'duration':
      return sql`coalesce(runs.worked_ms, -1)`;
    case 'tokens':
      return sql`runs.tokens_in + runs.tokens_out`;
    case 'score':
      return sql`coalesce(annotations.score, -1)`;
  }
}

const RANKS = keysOf(OUTCOMES).map((kind) => sql`when ${sql.lit(kind)} then ${sql.lit(outcomeRank(kind))}`);

function titleOf({ runs, annotations }: Names): RawBuilder<string> {
  return sql<string>`coalesce(${sql.ref(`${annotations}.title`)}, ${sql.ref(`${runs}.title`)})`;
}

/** The conditions of a filter (`passesFilter`). */
function conditions(
  filter: RunFilter,
  { names, dialect }: { names: Names; dialect: ListDialect },
): Expression<SqlBool>[] {
  const column = (name: string) => sql.ref(`${names.runs}.${name}`);
  const own = (name: string) => sql.ref(`${names.annotations}.${name}`);
  const { mode, model, reason, outcome, state, folder, family, since, until } = filter;
  const { archived, pinned, tags = [] } = filter;
  const equal = { mode, folder, family, outcome, termination_reason: reason };
  const found: Expression<SqlBool>[] = Object.entries(equal).flatMap(([name, wanted]) =>
    wanted === undefined ? [] : [sql<SqlBool>`${column(name)} = ${wanted}`],
  );
  if (model !== undefined) found.push(sql<SqlBool>`${column('model')} in (${sql.join(namesOfModel(model))})`);
  if (state === 'active') found.push(sql<SqlBool>`${column('phase')} != ${sql.lit('ended')}`);
  if (state === 'waiting') {
    const phases = sql.join(OPERATOR_PHASES.map((phase) => sql.lit(phase)));
    found.push(sql<SqlBool>`${column('phase')} in (${phases})`);
  }
  if (state === 'ended') found.push(sql<SqlBool>`${column('phase')} = ${sql.lit('ended')}`);
  if (since !== undefined) found.push(sql<SqlBool>`${column('created_at')} >= ${since}`);
  if (until !== undefined) found.push(sql<SqlBool>`${column('created_at')} < ${until}`);
  // Searches the annotations, which are fewer than the runs.
  const annotated = (condition: Expression<SqlBool>) =>
    found.push(
      sql<SqlBool>`${column('id')} in (select noted.run_id from annotations as noted where ${condition})`,
    );
  const without = (name: string) => found.push(sql<SqlBool>`coalesce(${own(name)}, 0) = 0`);
  if (archived === 'only') annotated(sql<SqlBool>`noted.archived = 1`);
  if (archived === undefined) without('archived');
  if (pinned === true) annotated(sql<SqlBool>`noted.pinned = 1`);
  if (pinned === false) without('pinned');
  for (const tag of tags) {
    // Within JSON a quote is escaped, so a tag in quotes is a whole tag.
    annotated(dialect.includes(sql<string>`noted.tags`, JSON.stringify(tag)));
  }
  for (const word of filterWords(filter)) {
    found.push(
      sql<SqlBool>`(${dialect.holds(titleOf(names), word)} or ${dialect.holds(sql`${column('model')}`, word)})`,
    );
  }
  return found;
}

/** Whether no newer run of the same family passes the filter. */
function newestOfFamily(filter: RunFilter, dialect: ListDialect): RawBuilder<SqlBool> {
  const passes = conditions(filter, { names: NEWER, dialect }).map((each) => sql`and ${each}`);
  return sql<SqlBool>`not exists (
    select 1 from runs as newer left join annotations as newer_annotations on newer_annotations.run_id = newer.id
      where newer.family = runs.family and (newer.created_at, newer.id) > (runs.created_at, runs.id)
        and newer.epoch > ${sql.lit(IMPORTING)} ${sql.join(passes, sql` `)})`;
}

/** How the runs of families that pass a filter ended, a row per family and outcome. */
export function familiesQuery(
  db: Kysely<StoreTables>,
  ids: readonly string[],
  { filter, dialect }: { filter: RunFilter; dialect: ListDialect },
) {
  return db
    .selectFrom('runs')
    .leftJoin('annotations', 'annotations.run_id', 'runs.id')
    .select(({ fn }) => [
      'family',
      'outcome',
      sql<number>`case phase when ${sql.lit('ended')} then 0 else 1 end`.as('active'),
      fn.countAll<number>().as('runs'),
      fn.max('created_at').as('latest_at'),
    ])
    .where('runs.epoch', '>', IMPORTING)
    .where('family', 'in', ids)
    .where(({ and }) => and(conditions(filter, { names: NAMES, dialect })))
    .groupBy(['family', 'outcome', 'active']);
}

const familyRow = z.object({
  family: z.string(),
  outcome: outcomeKind.nullable(),
  active: z.number(),
  runs: z.number(),
  latest_at: z.number(),
});
const namedRow = z.object({ id: z.string(), body: z.string() });
const experimentName = z.object({ name: z.string() });

/** The families in the rows of `familiesQuery`. @param experiments the rows of experiments with these IDs */
export function familiesOf(
  rows: readonly unknown[],
  experiments: readonly unknown[],
): Map<string, RunFamily> {
  const families = new Map<string, RunFamily>();
  for (const row of rows) {
    const { family, outcome, active, runs, latest_at } = familyRow.parse(row);
    const known = families.get(family) ?? { runs: 0, active: 0, outcomes: {}, latest_at: 0 };
    known.runs += runs;
    known.active += active * runs;
    known.latest_at = Math.max(known.latest_at, latest_at);
    if (outcome !== null) known.outcomes[outcome] = (known.outcomes[outcome] ?? 0) + runs;
    families.set(family, known);
  }
  for (const row of experiments) {
    const { id, body } = namedRow.parse(row);
    const family = families.get(id);
    if (family) family.experiment = experimentName.parse(JSON.parse(body)).name;
  }
  return families;
}

/** Folders and models that are offered as filters. */
const MAX_FACETS = 100;

/** Lists of tags, folders and models, each with its number of runs. */
export function facetQueries(db: Kysely<StoreTables>) {
  const shown = db
    .selectFrom('runs')
    .leftJoin('annotations', 'annotations.run_id', 'runs.id')
    .where('runs.epoch', '>', IMPORTING)
    .where(sql<SqlBool>`coalesce(annotations.archived, 0) = 0`);
  const counted = (name: 'folder' | 'model') =>
    shown
      .select(({ fn }) => [`runs.${name} as name` as const, fn.countAll<number>().as('runs')])
      .where(`runs.${name}`, 'is not', null)
      .groupBy(`runs.${name}`)
      .orderBy('runs', 'desc')
      .orderBy('name')
      .limit(MAX_FACETS);
  const tags = shown
    .select(({ fn }) => ['annotations.tags as name', fn.countAll<number>().as('runs')])
    .where('annotations.tags', '!=', '[]')
    .groupBy('annotations.tags');
  return [tags, counted('folder'), counted('model')];
}

const facetRow = z.object({ name: z.string(), runs: z.number() });

/** The facets in the rows of `facetQueries`. */
export function facetsOf(rows: {
  tags: readonly unknown[] | undefined;
  folders: readonly unknown[] | undefined;
  models: readonly unknown[] | undefined;
}): FacetsReply {
  const counts = new Map<string, number>();
  for (const row of rows.tags ?? []) {
    const { name, runs } = facetRow.parse(row);
    for (const tag of z.array(z.string()).parse(JSON.parse(name))) {
      counts.set(tag, (counts.get(tag) ?? 0) + runs);
    }
  }
  const tags = [...counts]
    .map(([name, runs]) => ({ name, runs }))
    .sort((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
  const parsed = (found: readonly unknown[] = []) => found.map((row) => facetRow.parse(row));
  return { tags, folders: parsed(rows.folders), models: byModel(parsed(rows.models)) };
}

/** Merges the names of a model; the most frequent one represents it. */
function byModel(facets: readonly Facet[]): Facet[] {
  const found = new Map<string, Facet>();
  for (const { name, runs } of facets) {
    const known = found.get(fullName(name)) ?? { name, runs: 0 };
    found.set(fullName(name), { name: known.name, runs: known.runs + runs });
  }
  return [...found.values()].sort((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
}
