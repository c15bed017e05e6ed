import { setImmediate as turn } from 'node:timers/promises';
import type { ComparedRun, CompareReply, CompareRunsReply } from '../api/comparison.ts';
import type { ExplorationsReply } from '../api/explorations.ts';
import type { FacetsReply } from '../api/facets.ts';
import type { ForkPlace } from '../api/fork-place.ts';
import type { ForkDraftReply, ForksReply } from '../api/fork-run.ts';
import type { HealthReply, ModelsReply } from '../api/replies.ts';
import type { RunFamily } from '../api/run-family.ts';
import type { RunFilter } from '../api/run-filter.ts';
import { familyOf, type RunExtras, type RunSummary, withExtras } from '../api/run-summary.ts';
import type { Found, SearchReply } from '../api/search.ts';
import { summarizeRun } from '../api/summarize-run.ts';
import type { Agreement } from '../compare/agreement.ts';
import { agreementOfPages, comparePages } from '../compare/compare-pages.ts';
import { readOverview } from '../compare/overview.ts';
import { settingDifferences } from '../compare/settings.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { cycleTable, similarityByRun, similarityMatrix } from '../events/cycle-table.ts';
import { noCycles } from '../events/fold-cycles.ts';
import { foldAll } from '../events/fold-run.ts';
import { imagesOfEvent } from '../events/images-of-event.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import type { Cycles } from '../events/timeline.ts';
import { type BundleAbout, bundleAbout } from '../sharing/exports/run-file.ts';
import { createRedactor, type RedactorOptions, withRunFolders } from '../sharing/redaction/redactor.ts';
import type { AnnotationReader } from '../store/annotation-store.ts';
import type { ImageReader, StoredImage } from '../store/image-store.ts';
import type { ListPage } from '../store/list-page.ts';
import type { RunReader, SearchPage } from '../store/run-store.ts';
import { missingEvent, RunNotFoundError } from '../store/store-errors.ts';
import type { JsonObject } from '../util/json.ts';
import { isSameModel } from '../util/model-name.ts';
import { formatCount } from '../util/numbers.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import { draftFork, type ForkPoint, findForkPoint } from './plan-fork.ts';
import { readCycles, requireCycles } from './read-cycles.ts';
import { base64 } from './run-images.ts';
import type { RunLookup } from './run-lookup.ts';
import { type SentRequest, sentRequest } from './sent-request.ts';

export interface StoredRunsOptions {
  store: RunReader & ImageReader & AnnotationReader;
  /**
   * The runs whose logs are in memory. Empty if processes share runs, because another may have taken one over
   * unnoticed.
   */
  runs?: { get(runId: string): { readonly stored: RunState } | undefined };
  slots: {
    /** Adds to a run its position in the queue while it waits. */
    withPosition(run: RunSummary): RunSummary;
  };
  health(model: string | undefined, signal: AbortSignal): Promise<Omit<HealthReply, 'runs'>>;
  models(signal: AbortSignal): Promise<ModelsReply>;
  /** Values of this installation to redact. */
  masks: Omit<RedactorOptions, 'workspace' | 'show'>;
  /** The settings of this installation, for bug reports. */
  settings: JsonObject;
  /** Aborted when the server stops; ends long reads. */
  closing: AbortSignal;
}

/** Page size for reading a log: a few milliseconds of work between turns of the event loop. */
const LOG_PAGE = { limit: 50, maxChars: 512 * 1024 };
/** Longer runs are not compared. */
const MAX_COMPARED_EVENTS = 200_000;
/** Characters of differing texts per comparison; more take another request. */
const MAX_COMPARED_CHARS = 4_000_000;
/** Max comparisons in the queue. */
const MAX_WAITING = 16;
const NEVER = new AbortController().signal;
const LIST_SNAPSHOT = 50;
const NO_EXTRAS: RunExtras = {};

/**
 * Read access to runs: search, list, read, compare, export. Everything comes from the store, whichever process works on
 * the run, except the summary of an unfinished run whose log is in memory.
 */
export class StoredRuns implements RunLookup {
  readonly #options: StoredRunsOptions;
  readonly #store: RunReader & ImageReader & AnnotationReader;
  /** Cached summaries by state: every viewer of the list requests one after each append. */
  readonly #summaries = new WeakMap<RunState, { extras: RunExtras; summary: RunSummary }>();
  /** Stored data besides the log, for the unfinished runs whose logs are in memory. */
  readonly #extras = new Map<string, Promise<RunExtras | undefined>>();
  readonly #closing: AbortSignal;
  /** Comparing reads whole logs, so only one comparison runs at a time, to bound memory. */
  readonly #comparisons = new OneAtATime({ maxWaiting: MAX_WAITING, full: tooManyComparisons });
  readonly #agreements = new OneAtATime({ maxWaiting: MAX_WAITING, full: tooManyComparisons });

  constructor(options: StoredRunsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#closing = options.closing;
  }

  #placed(run: RunSummary): RunSummary {
    return this.#options.slots.withPosition(run);
  }

  /** A run's summary, with its position in the queue while it waits. */
  async summary(runId: string): Promise<RunSummary | undefined> {
    const state = this.#unfinished(runId);
    const run = state ? await this.#summaryOf(state) : await this.#store.summary(runId);
    return run && this.#placed(run);
  }

  /** Call for a run that was just created, with its stored data besides the log, so that its summary needs no query. */
  noteCreated(runId: string, extras: RunExtras): void {
    this.#keepExtras(runId, Promise.resolve(extras));
  }

  /** Call when a run's stored data besides its log has changed. */
  refresh(runId: string): void {
    this.#extras.delete(runId);
  }

  /**
   * The state of an unfinished run whose log is in memory. Ended runs are excluded, because another process may have
   * deleted them.
   */
  #unfinished(runId: string): RunState | undefined {
    const state = this.#options.runs?.get(runId)?.stored;
    return state?.config && !state.ended ? state : undefined;
  }

  async #summaryOf(state: RunState): Promise<RunSummary> {
    const extras = (await this.#extrasOf(state.runId)) ?? NO_EXTRAS;
    const known = this.#summaries.get(state);
    if (known?.extras === extras) return known.summary;
    const summary = withExtras(summarizeRun(state), extras);
    this.#summaries.set(state, { extras, summary });
    return summary;
  }

  #extrasOf(runId: string): Promise<RunExtras | undefined> {
    const known = this.#extras.get(runId);
    if (known) return known;
    const reading = this.#store.extras(runId);
    this.#keepExtras(runId, reading);
    reading.catch(() => this.#extras.delete(runId));
    return reading;
  }

  #keepExtras(runId: string, extras: Promise<RunExtras | undefined>): void {
    // Only unfinished runs are kept.
    for (const id of this.#extras.keys()) if (!this.#unfinished(id)) this.#extras.delete(id);
    this.#extras.set(runId, extras);
  }

  /** @throws {RunNotFoundError} */
  async get(runId: string): Promise<{ run: RunSummary; config: RunConfig }> {
    const state = this.#unfinished(runId);
    if (state?.config) return { run: this.#placed(await this.#summaryOf(state)), config: state.config };
    const run = await this.summary(runId);
    const created = run && (await this.#store.readOne(runId, 1));
    if (!run || created?.type !== 'run.created') throw new RunNotFoundError(runId);
    return { run, config: created.config };
  }

  /** @throws {AppError} `run_not_found`, `image_not_found` */
  async image(runId: string, hash: string): Promise<StoredImage> {
    await this.get(runId);
    const image = await this.#store.image(runId, hash);
    if (image) return image;
    throw new AppError({ code: 'image_not_found', message: 'The run has no image with this hash.' });
  }

  /** An image of a run in base64; `undefined` if the store does not have it. */
  async imageBytes(runId: string, hash: string): Promise<string | undefined> {
    const image = await this.#store.image(runId, hash);
    return image && base64(image.data);
  }

  /**
   * The images of a run, one after another.
   *
   * @param hashes the requested images; default: all
   */
  async *images(runId: string, hashes?: ReadonlySet<string>): AsyncGenerator<StoredImage> {
    for (const { hash } of await this.#store.imagesOf(runId)) {
      const image = hashes && !hashes.has(hash) ? undefined : await this.#store.image(runId, hash);
      if (image) yield image;
    }
  }

  /**
   * The images of a run for its file; `undefined` if it has none. The store may have more images than the events refer
   * to: a fork gets those of the whole source run, and a crash can occur between storing an image and its event.
   *
   * @param referred hashes of the images that the events of the file refer to; default: of all events
   */
  async imagesForFile(
    runId: string,
    referred?: ReadonlySet<string>,
  ): Promise<AsyncGenerator<StoredImage> | undefined> {
    const stored = await this.#store.imagesOf(runId);
    if (stored.length === 0) return undefined;
    const wanted = referred ?? (await this.#imagesOfLog(runId));
    return stored.some(({ hash }) => wanted.has(hash)) ? this.images(runId, wanted) : undefined;
  }

  async #imagesOfLog(runId: string): Promise<Set<string>> {
    const hashes = new Set<string>();
    for await (const events of this.log(runId)) {
      for (const { hash } of events.flatMap(imagesOfEvent)) hashes.add(hash);
    }
    return hashes;
  }

  /** Lists runs, newest first by default. */
  async list(page: ListPage): Promise<RunSummary[]> {
    return (await this.#store.list(page)).map((run) => this.#placed(run));
  }

  /** The families with more than one run among the runs that pass a filter. */
  async families(runs: readonly RunSummary[], filter: RunFilter): Promise<Record<string, RunFamily>> {
    const ids = [...new Set(runs.map(familyOf))];
    const families = [...(await this.#store.families(ids, filter))];
    return Object.fromEntries(families.filter(([, { runs, experiment }]) => runs > 1 || experiment));
  }

  /** The tags, folders and models that runs can be filtered by, each with its number of runs. */
  facets(): Promise<FacetsReply> {
    return this.#store.facets();
  }

  /** Finds runs with events that contain all words of a query, and their best matches. */
  async search(query: string, page: SearchPage): Promise<Omit<SearchReply, 'next'> & Pick<Found, 'next'>> {
    const found = await this.#store.search(query, page);
    const runs = await Promise.all(
      found.runs.map(async (each) => {
        const run = await this.summary(each.run_id);
        return run ? [{ run, ...each }] : [];
      }),
    );
    return { ...found, runs: runs.flat() };
  }

  /** The first page of the run list: the newest runs and all unfinished ones. */
  async snapshot(): Promise<RunSummary[]> {
    const newest = await this.#store.list({ limit: LIST_SNAPSHOT });
    const known = new Set(newest.map((run) => run.id));
    const unfinished = (await this.#store.unfinished()).filter((run) => !known.has(run.id));
    return [...newest, ...unfinished].map((run) => this.#placed(run));
  }

  /** One event with its full texts. @throws {AppError} `run_not_found`, `event_not_found` */
  async event(runId: string, seq: number): Promise<RunEvent> {
    const event = await this.#store.readOne(runId, seq);
    if (event) return event;
    await this.get(runId);
    throw missingEvent(runId, seq);
  }

  /**
   * The complete log as of now, page by page; yields to the event loop after each.
   *
   * @throws {RunNotFoundError} also when the run is deleted meanwhile: what was read must not look complete
   */
  async *log(runId: string): AsyncGenerator<RunEvent[]> {
    const run = await this.#store.summary(runId);
    if (!run) throw new RunNotFoundError(runId);
    for (let afterSeq = 0; afterSeq < run.last_seq; ) {
      const events = await this.#store.read(runId, { afterSeq, ...LOG_PAGE });
      const last = events.at(-1);
      if (!last) throw new RunNotFoundError(runId);
      afterSeq = last.seq;
      yield events;
      if (afterSeq < run.last_seq) await turn(); // the store reads synchronously
    }
  }

  /** Folds the log of a run. @throws {RunNotFoundError} */
  async stateOf(runId: string): Promise<RunState> {
    let state = emptyRunState(runId);
    for await (const page of this.log(runId)) state = foldAll(state, page);
    return state;
  }

  /** A run's parent, siblings and forks. @throws {RunNotFoundError} */
  async forks(runId: string): Promise<ForksReply> {
    const { run } = await this.get(runId);
    const parentId = run.parent?.run_id;
    const parent = parentId === undefined ? undefined : await this.summary(parentId);
    const siblings = parentId === undefined ? [] : await this.#store.forksOf(parentId);
    const forks = await this.#store.forksOf(runId);
    return {
      ...(parent ? { parent } : {}),
      siblings: siblings.map((run) => this.#placed(run)),
      forks: forks.map((run) => this.#placed(run)),
    };
  }

  /** Finds a point where a run can be forked. @throws {AppError} `run_not_found`, `event_not_found`, `fork_point_open` */
  forkPoint(runId: string, place: ForkPlace): Promise<ForkPoint> {
    return findForkPoint(runId, this.log(runId), place);
  }

  /** The state at a fork point, for editing. @throws {AppError} like `forkPoint` */
  async forkDraft(runId: string, place: ForkPlace): Promise<ForkDraftReply> {
    return draftFork(await this.forkPoint(runId, place));
  }

  /**
   * Compares the logs of two runs step by step, page by page. One comparison runs at a time.
   *
   * @param options.from the first position whose texts are returned
   * @param options.signal cancels it, even while it is queued
   * @throws {AppError} `run_not_found`, `comparison_too_large`, `too_many_comparisons`
   */
  async compare(
    a: string,
    b: string,
    { from = 1, signal = NEVER }: { from?: number; signal?: AbortSignal } = {},
  ): Promise<CompareReply> {
    return this.#comparisons.run(async () => {
      const [one, other] = await Promise.all([this.#comparable(a), this.#comparable(b)]);
      const comparison = await comparePages({
        left: this.log(a),
        right: this.log(b),
        texts: { from, maxChars: MAX_COMPARED_CHARS },
        signal: AbortSignal.any([signal, this.#closing]),
      });
      return { a: one.run, b: other.run, comparison };
    }, signal);
  }

  /**
   * The results of several runs, and which of their settings differ. Reads their logs one after another.
   *
   * @throws {AppError} like `compare`
   */
  async compareRuns(runIds: readonly string[], signal: AbortSignal = NEVER): Promise<CompareRunsReply> {
    return this.#comparisons.run(async () => {
      const ends = AbortSignal.any([signal, this.#closing]);
      const found = await Promise.all(runIds.map((runId) => this.#comparable(runId)));
      const runs: ComparedRun[] = [];
      for (const { run } of found) runs.push({ run, ...(await readOverview(this.log(run.id), ends)) });
      return { runs, settings: settingDifferences(found.map(({ config }) => config)) };
    }, signal);
  }

  /**
   * The cycles of explorations, and how similar their reflections are. Reads their logs one after another.
   *
   * @throws {AppError} like `compare`; `invalid_request` for a run without cycles
   */
  async explorations(runIds: readonly string[], signal: AbortSignal = NEVER): Promise<ExplorationsReply> {
    return this.#comparisons.run(async () => {
      const ends = AbortSignal.any([signal, this.#closing]);
      const found = await Promise.all(runIds.map((runId) => this.#comparable(runId)));
      for (const { run } of found) requireCycles(run);
      const all: Cycles[] = [];
      for (const { run } of found) all.push(await readCycles(this.log(run.id), ends));
      const similarity = similarityMatrix(all);
      return {
        runs: found.map(({ run }, index) => ({ run, table: cycleTable(all[index] ?? noCycles) })),
        similarity,
        by_run: similarityByRun(similarity, all.length),
      };
    }, signal);
  }

  /**
   * How far repeats of the same run agree.
   *
   * @throws {AppError} like `compare`
   */
  async agreement(runIds: readonly string[], signal: AbortSignal = NEVER): Promise<Agreement> {
    return this.#agreements.run(async () => {
      for (const runId of runIds) await this.#comparable(runId);
      const logs = runIds.map((runId) => () => this.log(runId));
      return agreementOfPages(logs, AbortSignal.any([signal, this.#closing]));
    }, signal);
  }

  async #comparable(runId: string): Promise<{ run: RunSummary; config: RunConfig }> {
    const found = await this.get(runId);
    const events = found.run.last_seq;
    if (events <= MAX_COMPARED_EVENTS) return found;
    throw new AppError({
      code: 'comparison_too_large',
      message: `Run ${runId} has ${formatCount(events)} events, and the limit for a comparison is ${formatCount(MAX_COMPARED_EVENTS)}.`,
      hint: 'Export both logs and compare them with another tool.',
    });
  }

  /** Rebuilds a model call's request from the log. @throws {AppError} `run_not_found`, `call_not_found` */
  async sentRequest(runId: string, call: number): Promise<SentRequest> {
    const found = await sentRequest(runId, this.log(runId), call);
    if (found) return found;
    throw new AppError({
      code: 'call_not_found',
      message: `Run ${runId} has no model call ${call}.`,
      hint: 'Its model-call.started events list the calls.',
    });
  }

  /** What to redact when a run leaves this machine: its folders and this installation's own names and secrets. */
  redaction(config: Pick<RunConfig, 'workspace' | 'copied_from'>): RedactorOptions {
    return withRunFolders(this.#options.masks, config);
  }

  /** The details of a bug report besides the log, masked like the log. @throws {RunNotFoundError} */
  async about(runId: string, signal: AbortSignal): Promise<BundleAbout> {
    const { config } = await this.get(runId);
    const { version, ollama, sandbox } = await this.#options.health(undefined, signal);
    const { models } = await this.#options.models(signal);
    const model = models.find(({ name }) => isSameModel(name, config.model));
    const redactor = createRedactor(this.redaction(config));
    const about = {
      loupe: version,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      ollama: ollama.version,
      model,
      settings: this.#options.settings,
      sandbox,
    };
    return bundleAbout.parse(
      JSON.parse(
        JSON.stringify(about, (_, value) => (typeof value === 'string' ? redactor.text(value) : value)),
      ),
    );
  }
}

function tooManyComparisons(): AppError {
  return new AppError({
    code: 'too_many_comparisons',
    message: `${MAX_WAITING} comparisons are already waiting.`,
    hint: 'Close other comparison pages, or try again in a minute.',
  });
}
