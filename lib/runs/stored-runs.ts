import { setImmediate as turn } from 'node:timers/promises';
import type { CompareReply } from '../api/comparison.ts';
import type { ForkDraftReply, ForkPlace, ForksReply } from '../api/fork-run.ts';
import type { HealthReply, ModelsReply } from '../api/replies.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { Found, SearchReply } from '../api/search.ts';
import type { Agreement } from '../compare/agreement.ts';
import { agreementOfPages, comparePages } from '../compare/compare-pages.ts';
import { settingChanges } from '../compare/settings.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { fullName } from '../model/ollama-models.ts';
import { type BundleAbout, bundleAbout } from '../sharing/exports/run-file.ts';
import { createRedactor, type RedactorOptions } from '../sharing/redaction/redactor.ts';
import type { ListPage, RunReader, SearchPage } from '../store/run-store.ts';
import { missingEvent, RunNotFoundError } from '../store/store-errors.ts';
import type { JsonObject } from '../util/json.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import { draftFork, type ForkPoint, findForkPoint } from './plan-fork.ts';
import { type SentRequest, sentRequest } from './sent-request.ts';

/** What is said of runs beside what the store has. */
export interface StoredRunsOptions {
  store: RunReader;
  slots: {
    /** Adds to a run its position in the queue while it waits. */
    withPosition(run: RunSummary): RunSummary;
  };
  health(model: string | undefined, signal: AbortSignal): Promise<Omit<HealthReply, 'runs'>>;
  models(signal: AbortSignal): Promise<ModelsReply>;
  /** What of this installation must not leave with a run. */
  masks: Omit<RedactorOptions, 'workspace' | 'show'>;
  /** The settings of this installation, for bug reports. */
  settings: JsonObject;
  /** Fires when the server stops: long readings end. */
  closing: AbortSignal;
}

/** What is looked at of a stored log before others get their turn: a few milliseconds. */
const LOG_PAGE = { limit: 50, maxChars: 512 * 1024 };
/** Longer runs are not compared. */
const MAX_COMPARED_EVENTS = 200_000;
/** What a comparison brings of the texts that differ, in characters; more of them is a further request. */
const MAX_COMPARED_CHARS = 4_000_000;
/** Comparisons that wait while one is made. */
const MAX_WAITING = 16;
const NEVER = new AbortController().signal;
const LIST_SNAPSHOT = 50;

/**
 * Runs as those see them who only look: found, listed, read, compared, exported. Everything comes from the store, whoever works
 * on the run; nothing here changes one.
 */
export class StoredRuns {
  readonly #options: StoredRunsOptions;
  readonly #store: RunReader;
  readonly #closing: AbortSignal;
  /** Comparing reads whole logs: one at a time, so that many who ask cost no more memory than one. */
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

  /** A run as lists show it, with its position in the queue while it waits. */
  async summary(runId: string): Promise<RunSummary | undefined> {
    const run = await this.#store.summary(runId);
    return run && this.#placed(run);
  }

  /** @throws {RunNotFoundError} */
  async get(runId: string): Promise<{ run: RunSummary; config: RunConfig }> {
    const run = await this.summary(runId);
    const created = run && (await this.#store.readOne(runId, 1));
    if (!run || created?.type !== 'run.created') throw new RunNotFoundError(runId);
    return { run, config: created.config };
  }

  /** The newest runs first. */
  async list(page: ListPage): Promise<RunSummary[]> {
    return (await this.#store.list(page)).map((run) => this.#placed(run));
  }

  /** The runs with events that hold all words of a query, and the best of these. */
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

  /** What a list shows first: the newest runs, and all that have not ended. */
  async snapshot(): Promise<RunSummary[]> {
    const newest = await this.#store.list({ limit: LIST_SNAPSHOT });
    const known = new Set(newest.map((run) => run.id));
    const unfinished = (await this.#store.unfinished()).filter((run) => !known.has(run.id));
    return [...newest, ...unfinished].map((run) => this.#placed(run));
  }

  /** One event, whole. @throws {AppError} `run_not_found`, `event_not_found` */
  async event(runId: string, seq: number): Promise<RunEvent> {
    const event = await this.#store.readOne(runId, seq);
    if (event) return event;
    await this.get(runId);
    throw missingEvent(runId, seq);
  }

  /** The whole log as it is now, page by page, with a turn for others after each. @throws {RunNotFoundError} before the first event */
  async *log(runId: string): AsyncGenerator<RunEvent[]> {
    const { run } = await this.get(runId);
    for (let afterSeq = 0; afterSeq < run.last_seq; ) {
      const events = await this.#store.read(runId, { afterSeq, ...LOG_PAGE });
      const last = events.at(-1);
      if (!last) return;
      afterSeq = last.seq;
      yield events;
      await turn(); // the store answers without one
    }
  }

  /** What the log of a run says it stands at. @throws {RunNotFoundError} */
  async stateOf(runId: string): Promise<RunState> {
    let state = emptyRunState(runId);
    for await (const page of this.log(runId)) state = foldAll(state, page);
    return state;
  }

  /** Where a run comes from, and what was made from it. @throws {RunNotFoundError} */
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

  /** A place where a run can be forked. @throws {AppError} `run_not_found`, `event_not_found`, `fork_point_open` */
  forkPoint(runId: string, place: ForkPlace): Promise<ForkPoint> {
    return findForkPoint(runId, this.log(runId), place);
  }

  /** What stands at a place where a run can be forked. @throws {AppError} as `forkPoint` does */
  async forkDraft(runId: string, place: ForkPlace): Promise<ForkDraftReply> {
    return draftFork(await this.forkPoint(runId, place));
  }

  /**
   * Two runs side by side, as their logs stand. One comparison is made at a time, page by page.
   *
   * @param options.from the position from which on texts are wanted
   * @param options.signal ends it, also while it waits for others
   * @throws {AppError} `run_not_found`, `comparison_too_large`, `too_many_comparisons`
   */
  async compare(
    a: string,
    b: string,
    { from = 1, signal = NEVER }: { from?: number; signal?: AbortSignal } = {},
  ): Promise<CompareReply> {
    return this.#comparisons.run(async () => {
      const [one, other] = await Promise.all([this.#comparable(a), this.#comparable(b)]);
      const { left, right, comparison } = await comparePages({
        left: this.log(a),
        right: this.log(b),
        texts: { from, maxChars: MAX_COMPARED_CHARS },
        signal: AbortSignal.any([signal, this.#closing]),
      });
      return {
        a: { run: one.run, ...left },
        b: { run: other.run, ...right },
        settings: settingChanges(one.config, other.config),
        comparison,
      };
    }, signal);
  }

  /**
   * Up to where runs that were meant to be the same agree.
   *
   * @throws {AppError} as `compare` does
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
      message: `Run ${runId} has ${events} events: runs of more than ${MAX_COMPARED_EVENTS} are not compared.`,
      hint: 'Export the logs, and compare them with a program of your own.',
    });
  }

  /** What a model call sent, made again from the log. @throws {AppError} `run_not_found`, `call_not_found` */
  async sentRequest(runId: string, call: number): Promise<SentRequest> {
    const found = await sentRequest(runId, this.log(runId), call);
    if (found) return found;
    throw new AppError({
      code: 'call_not_found',
      message: `Run ${runId} has made no model call ${call}.`,
      hint: 'The events model-call.started name the calls there are.',
    });
  }

  /** What to redact when a run leaves this machine: its workspace path and this installation's own names and secrets. */
  redaction({ workspace }: Pick<RunConfig, 'workspace'>): RedactorOptions {
    return { ...this.#options.masks, workspace: workspace === '' ? undefined : workspace };
  }

  /** What a bug report must say beside the log; masked as the log is. @throws {RunNotFoundError} */
  async about(runId: string, signal: AbortSignal): Promise<BundleAbout> {
    const { config } = await this.get(runId);
    const { version, ollama, sandbox } = await this.#options.health(undefined, signal);
    const { models } = await this.#options.models(signal);
    const model = models.find(({ name }) => fullName(name) === fullName(config.model));
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
    message: `${MAX_WAITING} comparisons wait to be made already.`,
    hint: 'Close some pages that compare runs, or try again in a minute.',
  });
}
