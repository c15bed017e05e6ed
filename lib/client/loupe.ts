import type { z } from 'zod';
import type { BenchmarkReply, benchmarkRequest } from '../api/benchmark.ts';
import type { CreateRunRequest } from '../api/create-run.ts';
import type { AttachedImage } from '../api/image.ts';
import type { McpServerReply } from '../api/mcp.ts';
import type { CheckProgress, CheckProgressReply, CheckReply } from '../api/model-check.ts';
import type { Preset, PresetListReply } from '../api/preset.ts';
import type { CreateRatingRequest, RatingReply, RatingResults } from '../api/rating.ts';
import type {
  AnnotatedReply,
  InstalledModel,
  MessageReply,
  ModelsReply,
  RunListReply,
  RunReply,
  StopReply,
} from '../api/replies.ts';
import type { AnnotationChange } from '../api/run-annotations.ts';
import type { RunSummary } from '../api/run-summary.ts';
import type { ToolCheckProgress, ToolCheckReply, ToolChecksReply } from '../api/tool-check.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import type { RunResult } from '../events/run.ts';
import type { RunState } from '../events/run-state.ts';
import { LoupeExperiments } from './experiments.ts';
import { bodyOf, LoupeHttp, type LoupeOptions } from './http.ts';
import { postOnce, type RepeatOptions } from './post-once.ts';
import { ProgressEmitter, type ProgressListener } from './progress-emitter.ts';
import { followRun, pathOf, type RunUpdate } from './updates.ts';

interface ListOptions {
  limit?: number;
  /** Filters and order, such as `{ tag: 'baseline', sort: 'score' }`. */
  query?: Readonly<Record<string, string>>;
}

/** The file formats of a run (docs/api.md). */
export const EXPORT_FORMATS = [
  'run',
  'bundle',
  'scenario',
  'spans',
  'html',
  'md',
  'events',
  'session',
  'explore',
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * A typed client for the HTTP API of a running Loupe (docs/api.md).
 *
 * @example
 * const run = await new Loupe().start({ model: 'qwen3:8b', task: 'Summarize notes.md', workspace: '/data/notes' });
 * const { output } = await run.follow({ onProgress: (event) => console.log(event) });
 */
export class Loupe {
  readonly #http: LoupeHttp;

  /** @throws {AppError} `bad_url`; `not_signed_in` if there is no token */
  constructor(options: LoupeOptions = {}) {
    this.#http = new LoupeHttp(options);
  }

  get url(): string {
    return this.#http.url;
  }

  /** Its experiments. Sends no request. */
  get experiments(): LoupeExperiments {
    return new LoupeExperiments(this.#http);
  }

  /**
   * Starts a run (`POST /api/runs`) and returns as soon as it is stored. If the answer is lost, the request is repeated with
   * the same key, so that it starts one run.
   *
   * @throws {AppError} `unreachable` if the server cannot be reached, or not again within a minute; any error from it
   */
  async start(request: CreateRunRequest, options: RepeatOptions = {}): Promise<LoupeRun> {
    const { run } = await postOnce<RunReply>(this.#http, { path: '/api/runs', body: request, ...options });
    return new LoupeRun(this.#http, run.id);
  }

  /** A run by its ID. Sends no request. */
  run(runId: string): LoupeRun {
    return new LoupeRun(this.#http, runId);
  }

  /**
   * The first runs of a list, the newest unless `query` sorts it otherwise (`GET /api/runs`).
   */
  async list(options: ListOptions = {}): Promise<RunSummary[]> {
    return (await this.listPage(options)).runs;
  }

  /** The same with `next`, which is set if more runs follow. */
  listPage({ limit = 50, query = {} }: ListOptions = {}): Promise<RunListReply> {
    const asked = new URLSearchParams({ ...query, limit: String(limit) });
    return this.#http.json<RunListReply>(`/api/runs?${asked}`);
  }

  /** Imports a run file, a bug bundle or a log as a read-only run (`POST /api/import`). */
  async import(file: Blob): Promise<LoupeRun> {
    const answer = await this.#http.request('/api/import', { file });
    const { run } = (await answer.json()) as RunReply;
    return new LoupeRun(this.#http, run.id);
  }

  /** The presets by name (`GET /api/presets`). */
  async presets(): Promise<Preset[]> {
    return (await this.#http.json<PresetListReply>('/api/presets')).presets;
  }

  /** The installed models (`GET /api/models`). */
  async models(): Promise<InstalledModel[]> {
    return (await this.#http.json<ModelsReply>('/api/models')).models;
  }

  /** `POST /api/models/check` */
  async startCheck(model: string): Promise<CheckProgress> {
    return (await this.#http.json<{ check: CheckProgress }>('/api/models/check', { model })).check;
  }

  /** `GET /api/models/check` */
  async currentCheck(): Promise<CheckProgress | undefined> {
    return (await this.#http.json<CheckProgressReply>('/api/models/check')).check;
  }

  /** `POST /api/models/check/stop` */
  async stopCheck(model: string): Promise<CheckProgress> {
    return (await this.#http.json<{ check: CheckProgress }>('/api/models/check/stop', { model })).check;
  }

  /**
   * Starts a benchmark (`POST /api/benchmarks`). If the answer is lost, the request is repeated with the same key, so that
   * it starts one benchmark.
   *
   * @throws {AppError} `unreachable` if the server cannot be reached, or not again within a minute; any error from it
   */
  startBenchmark(
    request: z.input<typeof benchmarkRequest>,
    options: RepeatOptions = {},
  ): Promise<BenchmarkReply> {
    return postOnce<BenchmarkReply>(this.#http, { path: '/api/benchmarks', body: request, ...options });
  }

  /** `GET /api/benchmarks/{id}` */
  benchmark(id: string): Promise<BenchmarkReply> {
    return this.#http.json<BenchmarkReply>(`/api/benchmarks/${encodeURIComponent(id)}`);
  }

  /** `POST /api/benchmarks/{id}/stop`, `POST /api/benchmarks/{id}/continue` */
  steerBenchmark(id: string, action: 'stop' | 'continue'): Promise<BenchmarkReply> {
    return this.#http.json<BenchmarkReply>(`/api/benchmarks/${encodeURIComponent(id)}/${action}`, {});
  }

  /**
   * Stores a rating study and starts it (`POST /api/ratings`). If the answer is lost, the request is repeated with the same
   * key, so that it starts one study.
   *
   * @throws {AppError} `unreachable` if the server cannot be reached, or not again within a minute; any error from it
   */
  startRating(request: CreateRatingRequest, options: RepeatOptions = {}): Promise<RatingReply> {
    return postOnce<RatingReply>(this.#http, { path: '/api/ratings', body: request, ...options });
  }

  /** `GET /api/ratings/{id}` */
  rating(id: string): Promise<RatingReply> {
    return this.#http.json<RatingReply>(`/api/ratings/${encodeURIComponent(id)}`);
  }

  /** `POST /api/ratings/{id}/run` */
  continueRating(id: string): Promise<RatingReply> {
    return this.#http.json<RatingReply>(`/api/ratings/${encodeURIComponent(id)}/run`, {});
  }

  /** `POST /api/ratings/{id}/stop` */
  stopRating(id: string): Promise<RatingReply> {
    return this.#http.json<RatingReply>(`/api/ratings/${encodeURIComponent(id)}/stop`, {});
  }

  /** `GET /api/ratings/{id}/results` */
  ratingResults(id: string): Promise<RatingResults> {
    return this.#http.json<RatingResults>(`/api/ratings/${encodeURIComponent(id)}/results`);
  }

  /** Asks a model for calls of the tools of a server (`POST /api/tool-checks`). */
  async startToolCheck(model: string, server: string): Promise<ToolCheckProgress> {
    return (await this.#http.json<{ check: ToolCheckProgress }>('/api/tool-checks', { model, server })).check;
  }

  /** The current check of tools and the stored ones (`GET /api/tool-checks`). */
  toolChecks(): Promise<ToolChecksReply> {
    return this.#http.json<ToolChecksReply>('/api/tool-checks');
  }

  /** `POST /api/tool-checks/stop` */
  async stopToolCheck(model: string, server: string): Promise<ToolCheckProgress> {
    const body = { model, server };
    return (await this.#http.json<{ check: ToolCheckProgress }>('/api/tool-checks/stop', body)).check;
  }

  /** A stored check of tools (`GET /api/tool-checks/{id}`). */
  toolCheck(id: string): Promise<ToolCheckReply> {
    return this.#http.json<ToolCheckReply>(`/api/tool-checks/${encodeURIComponent(id)}`);
  }

  /** An MCP server with its tools (`GET /api/mcp/servers/{name}`). */
  mcpServer(name: string): Promise<McpServerReply> {
    return this.#http.json<McpServerReply>(`/api/mcp/servers/${encodeURIComponent(name)}`);
  }

  /** `GET /api/models/check/result` */
  checkResult(model: string): Promise<CheckReply> {
    return this.#http.json<CheckReply>(`/api/models/check/result?model=${encodeURIComponent(model)}`);
  }
}

export interface FollowOptions {
  /** Called for each progress event, in order (docs/api.md). */
  onProgress?: ProgressListener;
  /** Called for each event of the log, with the run's state after it. A returned promise is awaited. */
  onEvent?: (event: RunEvent, state: RunState) => void | Promise<void>;
  /** Called when the connection is lost, with the wait until the next attempt, in milliseconds. */
  onReconnect?: (waitMs: number) => void;
  /** Events up to this sequence number are read without calling any callback. Default: 0. */
  after?: number;
  signal?: AbortSignal;
}

/** One run on the server. */
export class LoupeRun {
  readonly id: string;
  readonly #http: LoupeHttp;

  /** Use `Loupe.start` or `Loupe.run` instead. */
  constructor(http: LoupeHttp, id: string) {
    this.#http = http;
    this.id = id;
  }

  /** The current state of the run (`GET /api/runs/{id}`). */
  async summary(signal?: AbortSignal): Promise<RunSummary> {
    return (await this.#http.json<RunReply>(pathOf(this.id), undefined, { signal })).run;
  }

  /**
   * Follows the run to its end and resolves to its result. A lost connection is resumed where it broke. An error thrown
   * by a callback ends `follow`, but not the run.
   *
   * @throws {AppError} `unreachable` if the first connection fails; `no_result` if the log stops before the run ended;
   * any error from the server or a callback; the signal's reason
   */
  async follow({
    onProgress = () => {},
    onEvent,
    onReconnect,
    after = 0,
    signal,
  }: FollowOptions = {}): Promise<RunResult> {
    const failure = new AbortController();
    const ending = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
    const progress = new ProgressEmitter(this.id, {
      listener: onProgress,
      onFailure: (error) => failure.abort(error),
    });
    let result: RunResult | undefined;
    try {
      // Progress depends on earlier events, so the log is always read from the start.
      for await (const update of this.updates({ signal: ending })) {
        if (update.type === 'reconnecting') onReconnect?.(update.wait_ms);
        if (update.type === 'delta' && progress.run.seq >= after) progress.delta(update.delta);
        if (update.type !== 'event') continue;
        const { event } = update;
        progress.event(event, { silent: event.seq <= after });
        ending.throwIfAborted();
        if (event.seq > after) await onEvent?.(event, progress.run);
        if (event.type === 'run.ended') result = event.result;
      }
    } finally {
      progress.flush();
    }
    ending.throwIfAborted();
    return result ?? noResult(this.id);
  }

  /** The events and text deltas of the run as they arrive (`GET /api/runs/{id}/events`). Ends with the run. */
  updates({
    after = 0,
    signal = new AbortController().signal,
  }: {
    after?: number;
    signal?: AbortSignal;
  } = {}): AsyncGenerator<RunUpdate> {
    return followRun(this.#http, this.id, { after, signal });
  }

  /**
   * Resolves to the result once the run has ended.
   *
   * @throws {AppError} same as `follow`
   */
  async result({ signal }: { signal?: AbortSignal } = {}): Promise<RunResult> {
    const { last_seq } = await this.summary(signal);
    for await (const update of this.updates({ after: Math.max(0, last_seq - 1), signal })) {
      if (update.type === 'event' && update.event.type === 'run.ended') return update.event.result;
    }
    signal?.throwIfAborted();
    return noResult(this.id);
  }

  /** Asks the run to stop after the current step, or immediately (`POST /api/runs/{id}/stop`). */
  async stop({ force = false }: { force?: boolean } = {}): Promise<RunSummary> {
    return (await this.#http.json<StopReply>(`${pathOf(this.id)}/stop`, { force })).run;
  }

  /**
   * Changes what is noted about the run: title, tags, note, score, pin, archive (`PATCH /api/runs/{id}`). `add_tags` and
   * `remove_tags` leave the other tags as they are.
   */
  async annotate(change: AnnotationChange): Promise<RunSummary> {
    const answer = await this.#http.request(pathOf(this.id), { method: 'PATCH', body: change });
    return ((await answer.json()) as AnnotatedReply).run;
  }

  /**
   * Queues a message for the model, with images if it can see (`POST /api/runs/{id}/messages`). If the answer is lost, the
   * request is repeated with the same key, so that the model gets the message once.
   *
   * @throws {AppError} `unreachable` if the server cannot be reached, or not again within a minute; any error from it
   */
  async say(
    text: string,
    { images = [], ...options }: RepeatOptions & { images?: readonly AttachedImage[] } = {},
  ): Promise<MessageReply['message']> {
    const path = `${pathOf(this.id)}/messages`;
    const body = images.length > 0 ? { text, images } : { text };
    return (await postOnce<MessageReply>(this.#http, { path, body, ...options })).message;
  }

  /** Streams the run as a file. `raw` disables redaction. */
  async export(format: ExportFormat, { raw = false } = {}): Promise<ReadableStream<Uint8Array>> {
    return bodyOf(await this.#http.request(`${pathOf(this.id)}/${fileOf(format, raw)}`, {}));
  }
}

/** The API path of each export format. */
function fileOf(format: ExportFormat, raw: boolean): string {
  switch (format) {
    case 'html':
    case 'md':
      return `export.${format}${raw ? '?redact=0' : ''}`;
    case 'events':
    case 'session':
    case 'explore':
      return `log?format=${format}`;
    case 'run':
      return 'export?format=run';
    case 'bundle':
    case 'scenario':
    case 'spans':
      return `export?format=${format}${raw ? '&redact=0' : ''}`;
  }
}

function noResult(runId: string): never {
  throw new AppError({
    code: 'no_result',
    message: `The log of run ${runId} stops before the run ended.`,
    hint: 'This only happens with imported runs. Its events are complete up to that point.',
  });
}
