import type { Compilable, Expression, Kysely, SqlBool } from 'kysely';
import { z } from 'zod';
import {
  type BenchmarkResult,
  benchmarkEvidence,
  benchmarkRecord,
  benchmarkResult,
} from '../api/benchmark.ts';
import { experimentItem, experimentSummary } from '../api/experiment.ts';
import type { FacetsReply } from '../api/facets.ts';
import { type CheckSummary, checkSummary, type ModelCheck, modelCheck } from '../api/model-check.ts';
import { addCount, emptyReading, type ModelReading } from '../api/model-reading.ts';
import { type PresetRecord, presetRecord } from '../api/preset.ts';
import type { RunFamily } from '../api/run-family.ts';
import type { RunFilter } from '../api/run-filter.ts';
import type { RunExtras, RunSummary } from '../api/run-summary.ts';
import type { Found, FoundRun, SearchHit } from '../api/search.ts';
import { type ShareRecord, shareRecord } from '../api/share.ts';
import { type SignInRecord, signInRecord } from '../api/sign-in.ts';
import { type StandingApprovalRecord, standingApprovalRecord } from '../api/standing-approval.ts';
import {
  type SuiteCase,
  type SuiteRecord,
  type SuiteVersion,
  storedCases,
  suiteRecord,
  suiteVersion,
} from '../api/suite.ts';
import type { AppError } from '../errors/app-error.ts';
import { type ModelPrice, modelPrice } from '../events/config.ts';
import { eventJson } from '../events/event-body.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import { searchText } from '../events/search-text.ts';
import { excerpt, type SearchWord } from '../util/search-words.ts';
import { runIdRow } from './annotation-statements.ts';
import type { AnnotationReader } from './annotation-store.ts';
import { benchmarksWithCounts } from './benchmark-statements.ts';
import type { BenchmarkReader, StoredBenchmark } from './benchmark-store.ts';
import { valueFromRow } from './body-row.ts';
import type { ExperimentReader } from './experiment-store.ts';
import { imageQuery, imageRow, imageSizeRow, imageSizes } from './image-statements.ts';
import type { ImageReader, StoredImage } from './image-store.ts';
import type { ListPage } from './list-page.ts';
import type { ModelReader } from './model-store.ts';
import type { PresetReader } from './preset-store.ts';
import { keyUseFromRow, keyUseQuery } from './request-key-statements.ts';
import {
  facetQueries,
  facetsOf,
  familiesOf,
  familiesQuery,
  type ListDialect,
  listQuery,
  selectRuns,
} from './run-list-query.ts';
import { extrasFromRow, summaryFromRow } from './run-row.ts';
import type { EventRange, EventText, RunReader, SearchPage, TextRange } from './run-store.ts';
import type { StoreTables } from './schema.ts';
import { IMPORTING } from './schema.ts';
import type { HitsOfRun } from './search-groups.ts';
import type { ShareReader } from './share-store.ts';
import type { SignInReader } from './sign-in-store.ts';
import type { StandingApprovalReader } from './standing-approval-store.ts';
import { newestVersions } from './suite-statements.ts';
import type { SuiteReader } from './suite-store.ts';

const eventRow = z.object({ run_id: z.string(), seq: z.number(), at: z.number(), body: z.string() });
const textRow = eventRow.extend({ type: z.string() });
const shareRow = z.object({
  id: z.string(),
  run_id: z.string(),
  token_hash: z.string(),
  created_at: z.number(),
  revoked_at: z.number().nullable(),
  views: z.number(),
  last_viewed_at: z.number().nullable(),
  body: z.string(),
});
const usedFolder = z.object({ path: z.string().nullable(), created_at: z.number() });
const priceRow = z.object({ model: z.string() });
const benchmarkRow = z.object({ body: z.string(), done: z.number() });
const caseRow = z.object({ body: z.string(), evidence: z.string() });
const modelCount = z.object({ model: z.string(), counter: z.string(), count: z.number() });

/** The read operations shared by both SQL databases; subclasses run the queries. */
export abstract class SqlReader
  implements
    RunReader,
    AnnotationReader,
    ImageReader,
    ExperimentReader,
    ShareReader,
    SignInReader,
    StandingApprovalReader,
    ModelReader,
    PresetReader,
    SuiteReader,
    BenchmarkReader,
    ListDialect
{
  /** Builds the queries in the database's dialect. */
  protected readonly db: Kysely<StoreTables>;

  constructor(db: Kysely<StoreTables>) {
    this.db = db;
  }

  abstract read(runId: string, range: EventRange): Promise<RunEvent[]>;

  abstract readTexts(runId: string, range: TextRange): Promise<EventText[]>;

  /** The rows of a query, with numbers as numbers. */
  protected abstract all(query: Compilable): Promise<unknown[]>;

  async readOne(runId: string, seq: number): Promise<RunEvent | undefined> {
    const [event] = await this.read(runId, { afterSeq: seq - 1, limit: 1 });
    return event?.seq === seq ? event : undefined;
  }

  async image(runId: string, hash: string): Promise<StoredImage | undefined> {
    const [row] = await this.all(imageQuery(this.db, runId, hash));
    return row === undefined ? undefined : imageRow.parse(row);
  }

  async imagesOf(runId: string): Promise<{ hash: string; bytes: number }[]> {
    const rows = await this.all(imageSizes(this.db, runId));
    return rows.map((row) => imageSizeRow.parse(row));
  }

  abstract holds(text: Expression<string>, word: string): Expression<SqlBool>;

  abstract includes(text: Expression<string>, part: string): Expression<SqlBool>;

  abstract bytewise(text: Expression<string>): Expression<string>;

  /** A field of the configuration in a run's first event, as text. */
  protected abstract settingOfRun(name: 'workspace' | 'copied_from'): Expression<string | null>;

  /** A field of an experiment's body, as text. */
  protected abstract experimentField(name: 'status' | 'running'): Expression<string | null>;

  abstract search(query: string, page: SearchPage): Promise<Found>;

  list(page: ListPage): Promise<RunSummary[]> {
    return this.#summaries(listQuery(this.db, page, this));
  }

  async summary(runId: string): Promise<RunSummary | undefined> {
    const [summary] = await this.#summaries(this.#runs().where('runs.id', '=', runId));
    return summary;
  }

  unfinished(): Promise<RunSummary[]> {
    return this.#summaries(
      this.#runs()
        .where('phase', 'not in', ['ended', 'awaiting-message'])
        .orderBy('created_at')
        .orderBy('runs.id'),
    );
  }

  async usedFolders(runs: number): ReturnType<RunReader['usedFolders']> {
    const rows = await this.all(
      this.db
        .selectFrom('runs')
        .innerJoin('events', (join) => join.onRef('events.run_id', '=', 'runs.id').on('events.seq', '=', 1))
        .select('runs.created_at')
        .select(({ fn }) =>
          fn.coalesce(this.settingOfRun('copied_from'), this.settingOfRun('workspace')).as('path'),
        )
        .where('runs.epoch', '>', IMPORTING)
        .where('runs.imported_at', 'is', null)
        .where('runs.parent_id', 'is', null)
        .orderBy('runs.created_at', 'desc')
        .orderBy('runs.id', 'desc')
        .limit(runs),
    );
    return rows.flatMap((row) => {
      const { path, created_at } = usedFolder.parse(row);
      return path ? [{ path, usedAt: created_at }] : [];
    });
  }

  forksOf(runId: string): Promise<RunSummary[]> {
    return this.#summaries(
      this.#runs().where('parent_id', '=', runId).orderBy('created_at').orderBy('runs.id'),
    );
  }

  #runs() {
    return selectRuns(this.db).where('runs.epoch', '>', IMPORTING);
  }

  async extras(runId: string): Promise<RunExtras | undefined> {
    const [row] = await this.all(this.#runs().where('runs.id', '=', runId));
    return row === undefined ? undefined : extrasFromRow.parse(row);
  }

  async families(ids: readonly string[], filter: RunFilter): Promise<Map<string, RunFamily>> {
    if (ids.length === 0) return new Map();
    const rows = await this.all(familiesQuery(this.db, ids, { filter, dialect: this }));
    const names = await this.all(
      this.db.selectFrom('experiments').select(['id', 'body']).where('id', 'in', ids),
    );
    return familiesOf(rows, names);
  }

  async facets(): Promise<FacetsReply> {
    const [tags, folders, models] = await Promise.all(facetQueries(this.db).map((query) => this.all(query)));
    return facetsOf({ tags, folders, models });
  }

  async readings(): Promise<Map<string, ModelReading>> {
    const rows = await this.all(
      this.db.selectFrom('model_counts').selectAll().orderBy('count', 'desc').orderBy('counter'),
    );
    const readings = new Map<string, ModelReading>();
    for (const row of rows) {
      const { model, counter, count } = modelCount.parse(row);
      const reading = readings.get(model) ?? emptyReading();
      addCount(reading, counter, count);
      readings.set(model, reading);
    }
    return readings;
  }

  async modelChecks(): Promise<CheckSummary[]> {
    const rows = await this.all(
      this.db
        .selectFrom('model_checks')
        .select('summary as body')
        .orderBy('ended_at', 'desc')
        .orderBy('model'),
    );
    return rows.map((row) => checkSummary.parse(valueFromRow(row)));
  }

  async checkHistory(limit: number): Promise<CheckSummary[]> {
    const rows = await this.all(
      this.db
        .selectFrom('model_check_history')
        .select('summary as body')
        .orderBy('ended_at', 'desc')
        .orderBy('model')
        .limit(limit),
    );
    return rows.map((row) => checkSummary.parse(valueFromRow(row))).reverse();
  }

  async modelCheck(model: string, digest?: string): Promise<ModelCheck | undefined> {
    const ofModel = this.db
      .selectFrom('model_checks')
      .select('body')
      .where('model', '=', model)
      .orderBy('ended_at', 'desc')
      .limit(1);
    const [row] = await this.all(digest === undefined ? ofModel : ofModel.where('digest', '=', digest));
    return row === undefined ? undefined : modelCheck.parse(valueFromRow(row));
  }

  async prices(): Promise<Map<string, ModelPrice>> {
    const rows = await this.all(this.db.selectFrom('model_prices').selectAll().orderBy('model'));
    return new Map(rows.map((row) => [priceRow.parse(row).model, modelPrice.parse(valueFromRow(row))]));
  }

  async presets(): Promise<PresetRecord[]> {
    const oldest = this.db.selectFrom('presets').select('body').orderBy('created_at').orderBy('id');
    return (await this.all(oldest)).map((row) => presetRecord.parse(valueFromRow(row)));
  }

  async suites(): Promise<SuiteRecord[]> {
    const oldest = this.db.selectFrom('suites').select('body').orderBy('created_at').orderBy('id');
    return (await this.all(oldest)).map((row) => suiteRecord.parse(valueFromRow(row)));
  }

  async suite(id: string): Promise<SuiteRecord | undefined> {
    const [row] = await this.all(this.db.selectFrom('suites').select('body').where('id', '=', id));
    return row === undefined ? undefined : suiteRecord.parse(valueFromRow(row));
  }

  async suiteVersions(id: string): Promise<SuiteVersion[]> {
    const newest = newestVersions(this.db, id).select(['hash', 'cases', 'created_at']);
    return (await this.all(newest)).map((row) => suiteVersion.parse(row));
  }

  async suiteCases(id: string, hash: string): Promise<SuiteCase[] | undefined> {
    const version = this.db
      .selectFrom('suite_versions')
      .select('body')
      .where('suite_id', '=', id)
      .where('hash', '=', hash);
    const [row] = await this.all(version);
    return row === undefined ? undefined : storedCases.parse(valueFromRow(row));
  }

  async benchmarks(): Promise<StoredBenchmark[]> {
    return (await this.all(benchmarksWithCounts(this.db))).map(benchmarkOf);
  }

  async benchmark(id: string): Promise<StoredBenchmark | undefined> {
    const [row] = await this.all(benchmarksWithCounts(this.db).where('id', '=', id));
    return row === undefined ? undefined : benchmarkOf(row);
  }

  async benchmarkOfKey(key: string): ReturnType<BenchmarkReader['benchmarkOfKey']> {
    const [row] = await this.all(keyUseQuery(this.db, 'benchmark', key));
    return keyUseFromRow(row);
  }

  async benchmarkResults(id: string): Promise<BenchmarkResult[]> {
    const rows = this.db
      .selectFrom('benchmark_results')
      .select('body')
      .where('benchmark_id', '=', id)
      .orderBy('position');
    return (await this.all(rows)).map((row) => benchmarkResult.parse(valueFromRow(row)));
  }

  async benchmarkCase(id: string, position: number): ReturnType<BenchmarkReader['benchmarkCase']> {
    const found = this.db
      .selectFrom('benchmark_results')
      .select(['body', 'evidence'])
      .where('benchmark_id', '=', id)
      .where('position', '=', position);
    const [row] = await this.all(found);
    if (row === undefined) return undefined;
    const { body, evidence } = caseRow.parse(row);
    return {
      result: benchmarkResult.parse(JSON.parse(body)),
      evidence: benchmarkEvidence.parse(JSON.parse(evidence)),
    };
  }

  async experiment(id: string): ReturnType<ExperimentReader['experiment']> {
    const [row] = await this.all(this.db.selectFrom('experiments').select('body').where('id', '=', id));
    if (row === undefined) return undefined;
    const items = await this.all(
      this.db
        .selectFrom('experiment_items')
        .select('body')
        .where('experiment_id', '=', id)
        .orderBy('position'),
    );
    return {
      summary: experimentSummary.parse(valueFromRow(row)),
      items: items.map((item) => experimentItem.parse(valueFromRow(item))),
    };
  }

  async experimentSummary(id: string): ReturnType<ExperimentReader['experimentSummary']> {
    const [row] = await this.all(this.db.selectFrom('experiments').select('body').where('id', '=', id));
    return row === undefined ? undefined : experimentSummary.parse(valueFromRow(row));
  }

  async experimentNotes(id: string): ReturnType<ExperimentReader['experimentNotes']> {
    const rows = await this.all(
      this.db
        .selectFrom('annotations')
        .innerJoin('runs', 'runs.id', 'annotations.run_id')
        .select(['annotations.run_id', 'annotations.score', 'annotations.note'])
        .where('runs.family', '=', id)
        .where(({ eb, or }) =>
          or([eb('annotations.score', 'is not', null), eb('annotations.note', 'is not', null)]),
        ),
    );
    return new Map(
      rows.map((row) => {
        const { run_id, score, note } = noteRow.parse(row);
        return [run_id, { ...(score === null ? {} : { score }), ...(note === null ? {} : { note }) }];
      }),
    );
  }

  async experimentRuns(id: string): Promise<string[]> {
    const rows = await this.all(
      this.db
        .selectFrom('runs')
        .select('id')
        .where('family', '=', id)
        .where('parent_id', 'is', null)
        .where('epoch', '>', IMPORTING)
        .orderBy('id'),
    );
    return rows.map((row) => runIdRow.parse(row).id);
  }

  async experimentCases(id: string): ReturnType<ExperimentReader['experimentCases']> {
    const [row] = await this.all(
      this.db.selectFrom('experiment_cases').select('body').where('experiment_id', '=', id),
    );
    return row === undefined ? undefined : storedCases.parse(valueFromRow(row));
  }

  async experimentOfKey(key: string): ReturnType<ExperimentReader['experimentOfKey']> {
    const [row] = await this.all(keyUseQuery(this.db, 'experiment', key));
    return keyUseFromRow(row);
  }

  async experiments(): ReturnType<ExperimentReader['experiments']> {
    const rows = await this.all(
      this.db.selectFrom('experiments').select('body').orderBy('created_at', 'desc').orderBy('id', 'desc'),
    );
    return rows.map((row) => experimentSummary.parse(valueFromRow(row)));
  }

  async unfinishedExperiments(): ReturnType<ExperimentReader['unfinishedExperiments']> {
    const status = this.experimentField('status');
    const rows = await this.all(
      this.db
        .selectFrom('experiments')
        .select('body')
        .where(({ eb, or }) =>
          or([eb(status, 'in', ['waiting', 'running']), eb(this.experimentField('running'), '!=', '0')]),
        )
        .orderBy('created_at')
        .orderBy('id'),
    );
    return rows.map((row) => experimentSummary.parse(valueFromRow(row)));
  }

  async shares(): Promise<ShareRecord[]> {
    const newest = this.db
      .selectFrom('shares')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');
    return (await this.all(newest)).map(shareFromRow);
  }

  async shareByHash(tokenHash: string): Promise<ShareRecord | undefined> {
    const [row] = await this.all(
      this.db.selectFrom('shares').selectAll().where('token_hash', '=', tokenHash),
    );
    return row === undefined ? undefined : shareFromRow(row);
  }

  async signIns(): Promise<SignInRecord[]> {
    const recent = this.db.selectFrom('sign_ins').selectAll().orderBy('last_seen_at', 'desc').orderBy('id');
    return (await this.all(recent)).map((row) => signInRecord.parse(row));
  }

  async signInByHash(cookieHash: string): Promise<SignInRecord | undefined> {
    const [row] = await this.all(
      this.db.selectFrom('sign_ins').selectAll().where('cookie_hash', '=', cookieHash),
    );
    return row === undefined ? undefined : signInRecord.parse(row);
  }

  async standingApprovals(): Promise<StandingApprovalRecord[]> {
    const recent = this.db.selectFrom('standing_approvals').selectAll();
    const rows = await this.all(recent.orderBy('created_at', 'desc').orderBy('id'));
    return rows.map((row) => standingApprovalRecord.parse(row));
  }

  async standingApproval(tool: string, folder: string): Promise<StandingApprovalRecord | undefined> {
    const [row] = await this.all(
      this.db
        .selectFrom('standing_approvals')
        .selectAll()
        .where('tool', '=', tool)
        .where('folder', '=', folder),
    );
    return row === undefined ? undefined : standingApprovalRecord.parse(row);
  }

  async #summaries(query: Compilable): Promise<RunSummary[]> {
    return (await this.all(query)).map((row) => summaryFromRow.parse(row));
  }
}

const noteRow = z.object({ run_id: z.string(), score: z.number().nullable(), note: z.string().nullable() });

/**
 * A validated event from the database.
 *
 * @param damaged creates the error if it cannot be read
 */
export function eventFromRow(row: unknown, damaged: (where: string, cause: unknown) => AppError): RunEvent {
  const { run_id, seq, at, body } = eventRow.parse(row);
  try {
    return runEvent.parse({ ...JSON.parse(body), run_id, seq, at });
  } catch (cause) {
    throw damaged(` at event ${seq} of run ${run_id}`, cause);
  }
}

/** The text of an event for the search index. One that cannot be read has none, and keeps no other event out. */
export function indexedText(row: unknown, damaged: (where: string, cause: unknown) => AppError): string {
  try {
    return searchText(eventFromRow(row, damaged));
  } catch (error) {
    console.error('An event was left out of the search index:', error);
    return '';
  }
}

/**
 * An event as the text stored in the database, with its position added.
 *
 * @param damaged creates the error if it cannot be read
 */
export function textFromRow(row: unknown, damaged: (where: string, cause: unknown) => AppError): EventText {
  const { run_id, seq, at, type, body } = textRow.parse(row);
  try {
    const found: unknown = JSON.parse(body);
    if (!isBody(found, type)) throw new TypeError(`It is no event of type ${type}`);
    // Loupe writes JSON on one line; other formatting is normalized.
    const line = body.startsWith('{') && !/[\r\n]/.test(body) ? body : JSON.stringify(found);
    return { run_id, seq, type, json: eventJson({ run_id, seq, at }, line) };
  } catch (cause) {
    throw damaged(` at event ${seq} of run ${run_id}`, cause);
  }
}

/** Whether a row is an event of the type. Its run and number are separate columns. */
function isBody(found: unknown, type: string): boolean {
  if (typeof found !== 'object' || found === null || !('type' in found) || found.type !== type) return false;
  return !('run_id' in found || 'seq' in found || 'at' in found);
}

/** A matching event with an excerpt around the words. */
export function hitOf(event: RunEvent, words: readonly SearchWord[]): SearchHit {
  const { run_id, seq, at, type } = event;
  return { run_id, seq, at, type, ...excerpt(searchText(event), words) };
}

/** What was found in a run, with the events that are shown of it. */
export function foundRun({ runId, places, atLeast }: HitsOfRun, hits: SearchHit[]): FoundRun {
  return { run_id: runId, places, ...(atLeast ? { at_least: true } : {}), hits };
}

function shareFromRow(row: unknown): ShareRecord {
  const { body, revoked_at, last_viewed_at, ...columns } = shareRow.parse(row);
  return shareRecord.parse({
    ...JSON.parse(body),
    ...columns,
    revoked_at: revoked_at ?? undefined,
    last_viewed_at: last_viewed_at ?? undefined,
  });
}

function benchmarkOf(row: unknown): StoredBenchmark {
  const { body, done } = benchmarkRow.parse(row);
  return { record: benchmarkRecord.parse(JSON.parse(body)), done };
}
