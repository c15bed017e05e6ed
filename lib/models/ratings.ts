import { createHash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type {
  createRatingRequest,
  personScoresRequest,
  Questionnaire,
  RatedText,
  RatingListReply,
  RatingReply,
  RatingResults,
  RatingStudy,
  RatingSummary,
} from '../api/rating.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { AppError, errorParts } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import { readQuestionnaireInThread } from '../experiments/read-in-thread.ts';
import type { ModelAccess } from '../queue/model-access.ts';
import { ratedTextOf } from '../ratings/rated-text.ts';
import { checkScores, ratingRequest, readScores } from '../ratings/rating-request.ts';
import { ratingResults } from '../ratings/rating-results.ts';
import { checkedQuestionnaire } from '../ratings/read-questionnaire.ts';
import { shippedQuestionnaire, shippedQuestionnaires } from '../ratings/shipped-questionnaires.ts';
import { shownError } from '../runs/shown-error.ts';
import { createdIsDeleted, keyConflict, type RequestKey, requestKey } from '../store/request-key.ts';
import { isSameModel } from '../util/model-name.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import type { CreatedLine, LaterLine, RatingLine, RatingLog } from './rating-log.ts';

/** How often an unreadable reply is requested: one retry. */
const TRIES = 2;
const CALL_TIMEOUT_MS = 300_000;
/** In place of a study: no ID is empty. */
const FOLDER = '';

export interface RatingsOptions extends ModelAccess {
  log: RatingLog;
  stored: {
    get(runId: string): Promise<{ run: RunSummary }>;
    log(runId: string): AsyncIterable<readonly RunEvent[]>;
  };
  newId: () => string;
  now: () => number;
  /** Whether other processes work in the same data directory. */
  shared?: boolean;
}

/** A study with what has happened to it. */
interface Open {
  readonly study: RatingStudy;
  rated: RatedText[];
  failures: RatingReply['failures'];
  running: boolean;
  /** Of the request that created it, if that had an idempotency key. */
  readonly requestHash: string | undefined;
  /** Whether its models were ever started. */
  started: boolean;
  /** The size of its file when it was read, in bytes. */
  size: number;
  /** Releases the right to work on it; set while this process has it. */
  release: (() => void) | undefined;
  current?: RatingReply['current'];
  stop: AbortController;
  over: Promise<void>;
}

/** Texts of runs, rated by questionnaire: by models, in slots of their servers, and by people (docs/decisions/0068). */
export class Ratings {
  readonly #options: RatingsOptions;
  readonly #appends = new OneAtATime();
  /** Why files cannot be read, by their study or `FOLDER`, each with the size of the file. */
  readonly #unreadable = new Map<string, { error: AppError; size: number }>();
  #opened: Promise<Map<string, Open>> | undefined;
  #closed = false;
  #count = 0;

  constructor(options: RatingsOptions) {
    this.#options = options;
  }

  /** Resumes the studies that were running when their server ended. Call again where processes share the files. */
  async resume(): Promise<void> {
    for (const open of (await this.#current()).values()) {
      if (this.#closed || !open.running || open.release || !this.#holdIfPossible(open)) continue;
      // The process that had it may have finished it since.
      await this.#current();
      if (open.running) this.#begin(open);
      else this.#release(open);
    }
  }

  async list(): Promise<RatingListReply> {
    const studies = [...(await this.#current()).values()];
    return {
      ratings: studies.map(summaryOf).sort((a, b) => b.created_at - a.created_at),
      problems: [...this.#unreadable.values()].map(({ error }) => errorParts(error)),
      shipped: shippedQuestionnaires(),
    };
  }

  /** @throws {AppError} `rating_not_found` */
  async get(id: string): Promise<RatingReply> {
    return replyOf(await this.#study(id));
  }

  /** @throws {AppError} `rating_not_found` */
  async results(id: string): Promise<RatingResults> {
    const { study, rated } = await this.#study(id);
    return ratingResults(study, rated);
  }

  /** The scores as they were given. @throws {AppError} `rating_not_found` */
  async scores(id: string): Promise<{ study: RatingStudy; rated: readonly RatedText[] }> {
    return this.#study(id);
  }

  /**
   * Stores a study with the current texts, and starts it if it names models. A repeated idempotency key returns the first
   * one (docs/decisions/0080).
   *
   * @throws {AppError} `invalid_request`, `run_not_found`, `remote_model`, `model_no_completion`, `idempotency_conflict`,
   *   `rating_deleted`
   */
  async create(
    request: z.output<typeof createRatingRequest>,
    { idempotencyKey }: { idempotencyKey?: string | undefined } = {},
  ): Promise<RatingReply & { created: boolean }> {
    const { stored, admit, newId, now, log } = this.#options;
    const questionnaire = await questionnaireOf(request);
    const key = requestKey(idempotencyKey, request);
    const id = key ? idOfKey(key.key) : newId();
    const before = key && (await this.#first(id, key));
    if (before) return before;
    for (const model of request.models) await admit({ model });
    const subjects: RatingStudy['subjects'] = [];
    for (const runId of request.run_ids) {
      const { run } = await stored.get(runId);
      const text = await ratedTextOf(stored.log(runId), request.part);
      if (text.trim() === '') throw nothingToRate(run);
      subjects.push({ run_id: runId, title: run.title, model: run.model, text });
    }
    const { name, part, models } = request;
    const study = { id, name, created_at: now(), questionnaire, part, subjects, models };
    const line: CreatedLine = {
      ...{ type: 'created', study, attempt: randomUUID() },
      ...(key && { request_hash: key.request_hash }),
    };
    const open = await this.#appends.run(async () => {
      const studies = await this.#studies();
      // In one write, so that another process sees no study that is about to be started as a stopped one.
      const running: LaterLine[] = models.length > 0 ? [{ type: 'running', on: true }] : [];
      const made = await log.create(line, ...running);
      // Created by another process, or by one that was killed before its line had its end.
      if (made === 'exists') await this.#readChanges(studies);
      if (typeof made === 'string') return undefined;
      const fresh = opened([line, ...running], made.size);
      if (!fresh) return undefined;
      studies.set(id, fresh);
      if (fresh.running && this.#holdIfPossible(fresh)) this.#begin(fresh);
      return fresh;
    });
    if (open) return { ...replyOf(open), created: true };
    const meanwhile = key && (await this.#first(id, key));
    if (meanwhile) return meanwhile;
    throw new RangeError(`The study ${id} exists`);
  }

  /**
   * What the first request with a key created; `undefined` if there was none.
   *
   * @throws {AppError} `idempotency_conflict`, `rating_deleted`, `rating_unreadable`
   */
  async #first(id: string, key: RequestKey): Promise<(RatingReply & { created: false }) | undefined> {
    const open = (await this.#current()).get(id);
    if (!open) {
      if (await this.#options.log.isDeleted(id)) throw createdIsDeleted('rating', id);
      const unreadable = this.#unreadable.get(id);
      if (unreadable) throw unreadable.error;
      return undefined;
    }
    if (open.requestHash !== key.request_hash) throw keyConflict('rating', id);
    // The server may have been killed before all that it wrote was on disk.
    if (open.study.models.length > 0 && !open.started) await this.run(id);
    else if (open.running && !open.release) await this.resume();
    return { ...replyOf(open), created: false };
  }

  /** Lets the models rate what they have not rated yet. @throws {AppError} `rating_not_found` */
  async run(id: string): Promise<RatingReply> {
    const open = await this.#study(id);
    if (open.running && open.release) return replyOf(open);
    await open.over;
    if (!open.release && this.#hold(open)) {
      // Set before the line is on disk, so that a second request does not start it as well.
      open.running = true;
      const stop = new AbortController();
      open.stop = stop;
      try {
        await this.#append(open, { type: 'running', on: true });
      } catch (error) {
        open.running = false;
        this.#release(open);
        throw error;
      }
      // It may have been stopped or deleted while that was being stored.
      if (stop.signal.aborted) {
        open.running = false;
        this.#release(open);
      } else this.#begin(open, stop);
    }
    return replyOf(open);
  }

  /** Stops, and abandons the rating in progress; finished ratings are kept. @throws {AppError} `rating_not_found` */
  async stop(id: string): Promise<RatingReply> {
    const open = await this.#study(id);
    if (await this.#halt(open)) await this.#append(open, { type: 'running', on: false });
    return replyOf(open);
  }

  /** Ends the work on a study, even if a full disk prevents recording it. Returns whether there was any. */
  async #halt(open: Open): Promise<boolean> {
    if (!open.running) return false;
    open.stop.abort();
    await open.over;
    open.running = false;
    return true;
  }

  /**
   * Stores a person's scores of a text, replacing earlier ones. @throws {AppError} `rating_not_found`,
   * `invalid_request`
   */
  async score(
    id: string,
    { person, run_id, scores }: z.output<typeof personScoresRequest>,
  ): Promise<RatingReply> {
    const open = await this.#study(id);
    const { study } = open;
    if (!study.subjects.some((subject) => subject.run_id === run_id))
      throw invalid('The study has no such text.');
    if (study.models.some((model) => isSameModel(model, person))) {
      throw invalid('A model has this name. Use another for yourself.');
    }
    const checked = checkScores(new Map(Object.entries(scores)), study.questionnaire);
    if ('problem' in checked) throw invalid(checked.problem);
    const at = this.#options.now();
    await this.#append(open, { type: 'rated', rater: person, run_id, scores: checked.scores, at });
    return replyOf(open);
  }

  /** @throws {AppError} `rating_not_found` */
  async delete(id: string): Promise<{ deleted: string }> {
    const open = await this.#study(id);
    await this.#halt(open);
    (await this.#studies()).delete(id);
    const marked = open.requestHash !== undefined;
    await this.#appends.run(() => this.#options.log.delete(id, { marked }));
    return { deleted: id };
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (!this.#opened) return;
    for (const open of (await this.#opened).values()) {
      open.stop.abort();
      await open.over;
    }
  }

  /** The studies as this process knows them. */
  #studies(): Promise<Map<string, Open>> {
    this.#opened ??= this.#readChanges(new Map());
    return this.#opened;
  }

  /** The studies with what other processes have done to them. */
  async #current(): Promise<Map<string, Open>> {
    const studies = await this.#studies();
    return this.#options.shared ? this.#appends.run(() => this.#readChanges(studies)) : studies;
  }

  /** An unreadable file is reported and does not affect other studies. */
  async #readChanges(studies: Map<string, Open>): Promise<Map<string, Open>> {
    const { log } = this.#options;
    const sizes = await this.#reportUnreadable(FOLDER, 0, () => log.sizes());
    if (!sizes) return studies;
    for (const id of this.#unreadable.keys()) if (!sizes.has(id)) this.#unreadable.delete(id);
    for (const [id, open] of studies) {
      if (sizes.has(id)) continue;
      open.running = false;
      studies.delete(id);
    }
    for (const [id, size] of sizes) {
      const known = studies.get(id);
      if (known?.size === size || this.#unreadable.get(id)?.size === size) continue;
      const found = await this.#reportUnreadable(id, size, () => log.read(id));
      const fresh = found && opened(found.lines, found.size);
      if (!fresh) continue;
      const { rated, failures, running, started } = fresh;
      if (known) Object.assign(known, { rated, failures, running, started, size: fresh.size });
      else studies.set(id, fresh);
    }
    return studies;
  }

  /** @returns `undefined` for what cannot be read */
  async #reportUnreadable<T>(id: string, size: number, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const found = await read();
      this.#unreadable.delete(id);
      return found;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (this.#unreadable.get(id)?.error.message !== error.message) {
        console.error('Ratings are missing:', error.message);
      }
      this.#unreadable.set(id, { error, size });
      return undefined;
    }
  }

  /** @throws {AppError} `rating_not_found`, `rating_unreadable` */
  async #study(id: string): Promise<Open> {
    const studies = await this.#current();
    const unreadable = this.#unreadable.get(id);
    if (unreadable && !studies.has(id)) throw unreadable.error;
    return studyIn(studies, id);
  }

  async #append(open: Open, line: LaterLine): Promise<void> {
    const { id } = open.study;
    await this.#appends.run(async () => {
      const studies = await this.#studies();
      if (this.#options.shared) await this.#readChanges(studies);
      // A study that was deleted meanwhile gets no new file.
      if (studyIn(studies, id) === open) {
        const written = await this.#options.log.append(id, line);
        // Lines appended by others must still be read.
        if (written?.before === open.size) open.size = written.after;
      }
      take(open, line);
    });
  }

  /**
   * Makes this process the one that lets models rate the texts of a study. Returns `false` while another process does.
   */
  #hold(open: Open): boolean {
    open.release = this.#options.shared ? this.#options.log.hold(open.study.id) : () => undefined;
    return open.release !== undefined;
  }

  #holdIfPossible(open: Open): boolean {
    try {
      return this.#hold(open);
    } catch (error) {
      this.#giveUp(open, error, 'ratings were being continued');
      return false;
    }
  }

  #release(open: Open): void {
    open.release?.();
    open.release = undefined;
  }

  #begin(open: Open, stop = new AbortController()): void {
    open.stop = stop;
    open.over = this.#rateAll(open, stop.signal);
  }

  /** Model by model, so that each is loaded once. */
  async #rateAll(open: Open, signal: AbortSignal): Promise<void> {
    const { study } = open;
    try {
      for (const rater of study.models) {
        for (const subject of study.subjects) {
          if (this.#options.shared) await this.#current();
          // Another process may have stopped or deleted it.
          if (signal.aborted || this.#closed || !open.running) return;
          const { run_id } = subject;
          if (isDone(open, rater, run_id)) continue;
          open.current = { rater, run_id };
          const line = await this.#rate(open, { rater, run_id, text: subject.text }, signal);
          if (signal.aborted || !line) return;
          await this.#append(open, line);
        }
      }
      await this.#append(open, { type: 'running', on: false });
    } catch (error) {
      // The file could not be written; missing ratings are requested again after a restart.
      this.#giveUp(open, error, 'ratings were being stored');
    } finally {
      open.current = undefined;
      this.#release(open);
    }
  }

  #giveUp(open: Open, error: unknown, step: string): void {
    const { message } = shownError(error, { step });
    const { rater = '', run_id = '' } = open.current ?? {};
    open.failures.push({ rater, run_id, error: message });
    open.running = false;
  }

  /** @returns the line to keep; `undefined` after a stop */
  async #rate(
    { study: { questionnaire } }: Open,
    { rater, run_id, text }: { rater: string; run_id: string; text: string },
    signal: AbortSignal,
  ): Promise<LaterLine | undefined> {
    const { slots, modelFor, now } = this.#options;
    this.#count += 1;
    const id = `rating-${process.pid}-${this.#count}`;
    try {
      const request = ratingRequest(rater, text, questionnaire);
      return await slots.withSlot({ id, purpose: 'rating', model: rater, signal }, async (within) => {
        const model = await modelFor(rater);
        const { maxContextTokens: most = request.options.num_ctx } = await model.show(rater, within);
        const options = { ...request.options, num_ctx: Math.min(most, request.options.num_ctx) };
        let problem = '';
        for (let tries = 0; tries < TRIES; tries += 1) {
          const reply = await model.chat(
            { ...request, options },
            { signal: within, timeoutMs: CALL_TIMEOUT_MS },
          );
          const read = readScores(reply.message.content, questionnaire);
          if ('scores' in read) return { type: 'rated', rater, run_id, scores: read.scores, at: now() };
          problem = read.problem;
        }
        return { type: 'failed', rater, run_id, error: problem };
      });
    } catch (error) {
      if (signal.aborted || this.#closed) return undefined;
      const { message } = shownError(error, { step: 'a text was being rated' });
      return { type: 'failed', rater, run_id, error: message };
    }
  }
}

/** @throws {AppError} `rating_not_found` */
function studyIn(studies: ReadonlyMap<string, Open>, id: string): Open {
  const open = studies.get(id);
  if (open) return open;
  throw new AppError({
    code: 'rating_not_found',
    message: `There is no rating "${id.slice(0, 60)}".`,
    hint: 'Check the ID: the rating may have been deleted.',
  });
}

/** The ID of the study that a key creates: its file is the claim to the key. */
function idOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** @param size of the file, in bytes */
function opened(lines: readonly RatingLine[], size: number): Open | undefined {
  const [first] = lines;
  if (first?.type !== 'created') return undefined;
  const open: Open = {
    ...{ study: first.study, requestHash: first.request_hash, started: false },
    ...{ rated: [], failures: [], running: false, size, release: undefined },
    ...{ stop: new AbortController(), over: Promise.resolve() },
  };
  for (const line of lines) take(open, line);
  return open;
}

function take(open: Open, line: RatingLine): void {
  switch (line.type) {
    case 'created':
      return;
    case 'running':
      open.running = line.on;
      open.started = true;
      if (line.on) open.failures = [];
      return;
    case 'rated': {
      const { type: _, ...rated } = line;
      const before = open.rated.findIndex(
        (each) => each.rater === rated.rater && each.run_id === rated.run_id,
      );
      if (before >= 0) open.rated[before] = rated;
      else open.rated.push(rated);
      return;
    }
    case 'failed': {
      const { rater, run_id, error } = line;
      open.failures.push({ rater, run_id, error });
    }
  }
}

function isDone({ rated, failures }: Open, rater: string, runId: string): boolean {
  return [...rated, ...failures].some((each) => each.rater === rater && each.run_id === runId);
}

function summaryOf({ study, rated, running }: Open): RatingSummary {
  const { id, name, created_at, questionnaire, subjects, models } = study;
  const byModels = rated.filter(({ rater }) => models.includes(rater)).length;
  const planned = models.length * subjects.length;
  return {
    ...{ id, name, created_at, questionnaire: questionnaire.name },
    ...{ subjects: subjects.length, models: models.length, rated: byModels, planned },
    status: running ? 'running' : byModels < planned ? 'stopped' : 'done',
  };
}

function replyOf(open: Open): RatingReply {
  const { study, failures, rated, current } = open;
  const byPeople = Map.groupBy(
    rated.filter(({ rater }) => !study.models.includes(rater)),
    ({ rater }) => rater,
  );
  const people = Object.fromEntries(
    [...byPeople].map(([person, texts]) => [person, texts.map(({ run_id }) => run_id)]),
  );
  return { rating: summaryOf(open), study, failures, people, ...(current && { current }) };
}

async function questionnaireOf(request: z.output<typeof createRatingRequest>): Promise<Questionnaire> {
  if (request.text !== undefined) return readQuestionnaireInThread(request.text);
  if (request.shipped === undefined) return checkedQuestionnaire(request.questionnaire);
  const found = shippedQuestionnaire(request.shipped);
  if (found) return found;
  const names = shippedQuestionnaires().map(({ name }) => name);
  throw invalid(`No questionnaire "${request.shipped}" ships with Loupe, only ${names.join(', ')}.`);
}

function nothingToRate({ id }: RunSummary): AppError {
  return invalid(`Run ${id} has no such text yet.`);
}

function invalid(message: string): AppError {
  return new AppError({ code: 'invalid_request', message });
}
