import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import type { CheckProgress, CheckProgressReply, CheckReply } from '../api/model-check.ts';
import type {
  MessageReply,
  RunListReply,
  RunReply,
  StopReply,
  ViewDelta,
  ViewEvent,
} from '../api/replies.ts';
import { DEFAULT_PORT, defaultDataDir } from '../config/environment.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import type { ExportFormat } from './arguments.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What a follower gets: events of the log once each and in order, pieces of text between them, and lost connections. */
export type Received =
  | { type: 'event'; event: RunEvent }
  | { type: 'delta'; delta: ViewDelta }
  | { type: 'lost'; wait_ms: number };

/** Longest wait between two attempts to come back, in milliseconds. */
const MAX_WAIT_MS = 8000;

/** Talks to a running Loupe as any script would (docs/api.md). */
export class LoupeClient {
  readonly url: string;
  readonly #token: string;

  /**
   * @param url where Loupe is; default LOUPE_URL, else LOUPE_PORT on this machine
   * @throws {AppError} `bad_url`, `not_signed_in` when there is no token
   */
  constructor(url: string | undefined, env: Env) {
    this.url = readUrl(url ?? env.LOUPE_URL ?? `http://127.0.0.1:${env.LOUPE_PORT || DEFAULT_PORT}`);
    this.#token = readToken(env);
  }

  /** `POST /api/runs` */
  start(body: Record<string, unknown>): Promise<RunReply> {
    return this.#json<RunReply>('/api/runs', body);
  }

  /** `GET /api/runs` */
  list(limit: number): Promise<RunListReply> {
    return this.#json<RunListReply>(`/api/runs?limit=${limit}`);
  }

  /** `GET /api/runs/{id}` */
  run(runId: string): Promise<RunReply> {
    return this.#json<RunReply>(pathOf(runId));
  }

  /** `POST /api/runs/{id}/stop` */
  stop(runId: string, force: boolean): Promise<StopReply> {
    return this.#json<StopReply>(`${pathOf(runId)}/stop`, { force });
  }

  /** `POST /api/runs/{id}/messages` */
  say(runId: string, text: string): Promise<MessageReply> {
    return this.#json<MessageReply>(`${pathOf(runId)}/messages`, { text });
  }

  /** The run as a file (`/export`, `/export.html`, `/export.md`, `/log`): the bytes as they come. */
  async export(runId: string, format: ExportFormat, raw: boolean): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#fetch(`${pathOf(runId)}/${fileOf(format, raw)}`, {});
    return bodyOf(answer);
  }

  /** `POST /api/import` */
  async import(file: Blob): Promise<RunReply> {
    const answer = await this.#fetch('/api/import', { file });
    return (await answer.json()) as RunReply;
  }

  /** `POST /api/models/check` */
  async startCheck(model: string): Promise<CheckProgress> {
    return (await this.#json<{ check: CheckProgress }>('/api/models/check', { model })).check;
  }

  /** `GET /api/models/check` */
  checking(): Promise<CheckProgressReply> {
    return this.#json<CheckProgressReply>('/api/models/check');
  }

  /** `POST /api/models/check/stop` */
  async stopCheck(model: string): Promise<CheckProgress> {
    return (await this.#json<{ check: CheckProgress }>('/api/models/check/stop', { model })).check;
  }

  /** `GET /api/models/check/result` */
  checkResult(model: string): Promise<CheckReply> {
    return this.#json<CheckReply>(`/api/models/check/result?model=${encodeURIComponent(model)}`);
  }

  /** The event with its long texts whole: viewers get them cut (`GET /api/runs/{id}/events/{seq}`). */
  async #whole({ cuts, ...event }: ViewEvent): Promise<RunEvent> {
    return cuts === undefined ? event : this.#json<RunEvent>(`${pathOf(event.run_id)}/events/${event.seq}`);
  }

  /**
   * Follows a run to its end. A connection that breaks is taken up where it broke; every event comes once and in order.
   *
   * @throws {AppError} `unreachable` when the first connection fails; whatever the server refuses with
   */
  async *follow(runId: string, after: number, signal: AbortSignal): AsyncGenerator<Received> {
    let seen = after;
    let tries = 0;
    let wasThere = false;
    while (!signal.aborted) {
      try {
        for await (const message of this.#messages(runId, seen, signal)) {
          tries = 0;
          wasThere = true;
          const received = read(message);
          if (received?.type === 'delta') yield received;
          if (received?.type !== 'event' || received.event.seq <= seen) continue;
          const event = await this.#whole(received.event);
          seen = event.seq;
          yield { type: 'event', event };
          if (event.type === 'run.ended') return;
        }
        if (await this.#isOver(runId, seen)) return;
      } catch (error) {
        if (signal.aborted) return;
        const passes =
          !(error instanceof AppError) || error.code === 'unreachable' || error instanceof ForNow;
        if (!passes || (error instanceof AppError && !wasThere)) throw error;
      }
      const wait_ms = Math.min(MAX_WAIT_MS, 250 * 2 ** tries);
      tries += 1;
      yield { type: 'lost', wait_ms };
      await delay(wait_ms, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whether the log has no more than was seen: a stream that begins behind the end of a run says nothing at all. */
  async #isOver(runId: string, seen: number): Promise<boolean> {
    const { run } = await this.run(runId);
    return run.phase === 'ended' && run.last_seq <= seen;
  }

  async *#messages(runId: string, after: number, signal: AbortSignal): AsyncGenerator<EventSourceMessage> {
    const answer = await this.#fetch(`${pathOf(runId)}/events?after=${after}`, { signal });
    if (answer.status === 204) return;
    const messages = bodyOf(answer)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const message of messages) yield message;
  }

  async #json<Reply>(path: string, body?: unknown): Promise<Reply> {
    const answer = await this.#fetch(path, { body });
    // The server is ours and of the same version: its replies are what lib/api says.
    return (await answer.json()) as Reply;
  }

  async #fetch(
    path: string,
    { body, file, signal }: { body?: unknown; file?: Blob; signal?: AbortSignal },
  ): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(`${this.url}${path}`, {
        method: body === undefined && file === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(file === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
        },
        body: file ?? (body === undefined ? undefined : JSON.stringify(body)),
        redirect: 'error',
        signal,
      });
    } catch (error) {
      throw new AppError({
        code: 'unreachable',
        message: `Loupe does not answer at ${this.url}.`,
        hint: 'Start it with "npm start", or name its address with --url or LOUPE_URL.',
        cause: error,
      });
    }
    if (answer.ok) return answer;
    throw await refusalOf(answer);
  }
}

function pathOf(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`;
}

/** Which file of the interface holds a format. What is masked is so unless `raw`. */
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

function bodyOf(answer: Response): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (!answer.body) throw new AppError({ code: 'empty_answer', message: 'Loupe sent an empty answer.' });
  return answer.body;
}

/** A refusal that says that the same will be answered later: of a server that starts, stops or has too much to do. */
class ForNow extends AppError {}

/** The server's own words, whatever the answer holds. */
async function refusalOf(answer: Response): Promise<AppError> {
  const text = await answer.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; hint?: string } };
    const Refusal = answer.status === 503 ? ForNow : AppError;
    return new Refusal({ code: error.code, message: error.message, hint: error.hint });
  } catch {
    return new AppError({
      code: 'not_loupe',
      message: `The answer of ${answer.url} (status ${answer.status}) is not one of Loupe.`,
      hint: 'Check the address: --url or LOUPE_URL.',
    });
  }
}

/** A message of the stream; `undefined` for kinds that a terminal has no use for. */
function read(
  message: EventSourceMessage,
): { type: 'event'; event: ViewEvent } | { type: 'delta'; delta: ViewDelta } | undefined {
  if (message.event === undefined) return { type: 'event', event: JSON.parse(message.data) };
  if (message.event === 'delta') return { type: 'delta', delta: JSON.parse(message.data) };
  return undefined;
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError({
      code: 'bad_url',
      message: `"${text}" is not an address of Loupe.`,
      hint: 'It looks like http://127.0.0.1:4120.',
    });
  }
  return url.origin;
}

/** The operator token: LOUPE_TOKEN, else what the server wrote into its data directory. */
function readToken(env: Env): string {
  if (env.LOUPE_TOKEN) return env.LOUPE_TOKEN;
  const path = join(env.LOUPE_DATA_DIR || defaultDataDir(env), 'token');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new AppError({
      code: 'not_signed_in',
      message: `There is no operator token: LOUPE_TOKEN is not set and ${path} cannot be read.`,
      hint: 'Start Loupe once with "npm start", or set LOUPE_TOKEN.',
      cause: error,
    });
  }
}
