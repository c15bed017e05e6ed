import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { z } from 'zod';
import { errorMessage } from '../util/error-message.ts';
import type { JsonObject } from '../util/json.ts';
import { isSameModel } from '../util/model-name.ts';
import {
  type ChatBody,
  chatBody,
  debugReply,
  estimatedPromptTokens,
  formatted,
  lackingCapability,
  phaseReply,
  renderedPrompt,
  seenMessage,
  unmet,
} from './fake-chat.ts';
import { type CloseEvent, Exchange, type RecordedRequest } from './fake-exchange.ts';
import { Loader, type LoadRequest } from './fake-loader.ts';
import { remoteOf, showOf, tagOf } from './fake-model-replies.ts';
import { FakeModels } from './fake-models.ts';
import { type LibraryModel, type PullHold, sendPull } from './fake-pull.ts';
import { Queue } from './fake-queue.ts';
import { sendJson, sendPlainFault, sendReply, unlessGone, wait } from './fake-reply.ts';
import {
  type FakeModel,
  type FakeModelInput,
  type Fault,
  type FaultInput,
  fault,
  fillIn,
  type Scenario,
  type ScenarioInput,
  type ScenarioStep,
  type SeenMessage,
  scenarioReply,
  stepAt,
  turnOf,
} from './scenario.ts';

export interface FakeOllamaOptions {
  /** Default: a free port. Always on 127.0.0.1. */
  port?: number;
  /** Models in addition to those of the scenarios. */
  models?: FakeModelInput[];
  scenarios?: ScenarioInput[];
  /** Concurrent chats; others wait in the queue. Default: no limit. */
  parallel?: number;
  /** Maximum queue length before the server reports that it is busy. */
  maxQueue?: number;
  /** Faults for other paths, for example `{'/': {kind: 'hang'}}`. */
  faults?: Record<string, FaultInput>;
  /** Whether an overflow error contains both token counts; 0.17.4 omits them (OL22). */
  overflowCounts?: boolean;
  /** Models that `/api/pull` can pull; all others are unknown to it. */
  library?: LibraryModel[];
  version?: string;
  /**
   * Loses a slot when a client aborts a streamed reply, or when no parser could read a whole one, until the model is unloaded,
   * as a real Ollama sometimes does. Requires a `version` that rejects long prompts.
   */
  losesSlots?: boolean;
  /** How long unloading takes after its answer, in milliseconds: a model requested meanwhile is the old instance. */
  unloadMs?: number;
  /** How far its clock is ahead of ours in milliseconds, as on another machine. */
  clockAheadMs?: number;
  /** Record requests. Disable it for long-lived servers. */
  record?: boolean;
}

export interface FakeOllama {
  url: string;
  port: number;
  /** All requests in order of arrival; empty with `record: false`. */
  requests: readonly RecordedRequest[];
  /** The bodies of chats with messages. */
  readonly chats: readonly JsonObject[];
  /** Open connections, including idle ones. */
  readonly openSockets: number;
  /** Requests in progress. */
  readonly openRequests: number;
  closeEvents: readonly CloseEvent[];
  /** Expectations that were not met. */
  problems: readonly string[];
  /** @throws if its name is taken, or if an earlier scenario of its model always shadows it */
  add(scenario: ScenarioInput): void;
  /** Removes the scenarios and releases all holds, so that the next test starts clean. */
  forget(): void;
  /**
   * Holds a scenario at a point until the returned function is called, so that tests do not depend on timing: while its
   * model loads, or in the answer to a turn (from 0), after a number of tokens of a streamed reply (default: before the
   * first).
   */
  hold(scenario: string, at: 'load' | { turn: number; afterTokens?: number }): () => void;
  /** Holds the pull of a model at a share of its bytes (in tenths, 0 to 1) until the returned function is called. */
  holdPull(model: string, at: number): () => void;
  /**
   * Answers nothing until the returned function is called, but still accepts connections, like a suspended process. A
   * reply that has started continues.
   */
  freeze(): () => void;
  /** Adds a model to the library of `/api/pull`. */
  publish(model: LibraryModel): void;
  /** Drops every open connection and stops listening. */
  close(): Promise<void>;
}

const generateBody = z.looseObject({
  model: z.string(),
  prompt: z.string(),
  truncate: z.literal(false),
  keep_alive: z.union([z.string(), z.number()]).optional(),
  options: z.looseObject({ num_ctx: z.number() }),
});

const embedBody = z.looseObject({
  model: z.string(),
  input: z.array(z.string()),
  keep_alive: z.union([z.string(), z.number()]).optional(),
});

const toolName = z.looseObject({ function: z.looseObject({ name: z.string() }) });

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Maximum conversations whose attempts are counted, because the demo server lives as long as the program. */
const MAX_ATTEMPTS = 1_000;

/**
 * Starts a server that speaks Ollama's protocol and plays scenarios (see scenario.ts): `/`, `/api/version`, `/api/tags`,
 * `/api/show`, `/api/ps`, `/api/embed`, `/api/generate`, `/api/pull` and `/api/chat` with loading, unloading, queue,
 * context overflow, capabilities and every fault of the fault matrix. Answers depend only on the conversation, never on
 * earlier requests.
 *
 * A request selects its scenario by the model's name (`NAME`, `fake:NAME`, or the scenario's `model`); a model without
 * its own scenarios plays the first one whose `match` occurs in the first user message.
 */
export async function startFakeOllama(options: FakeOllamaOptions = {}): Promise<FakeOllama> {
  const fake = new Server(options);
  const server = createServer((req, res) => void fake.serve(req, res));
  let openRequests = 0;
  server.on('request', (_, res) => {
    openRequests += 1;
    res.once('close', () => {
      openRequests -= 1;
    });
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy()); // reset by the client; 'close' follows
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: fake.requests,
    closeEvents: fake.closeEvents,
    problems: fake.problems,
    get chats() {
      return fake.chats();
    },
    get openSockets() {
      return sockets.size;
    },
    get openRequests() {
      return openRequests;
    },
    add: (scenario) => fake.add(scenario),
    forget: () => fake.forget(),
    hold: (scenario, at) => fake.hold(scenario, at),
    holdPull: (model, at) => fake.holdPull(model, at),
    freeze: () => fake.freeze(),
    publish: (model) => fake.publish(model),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

class Server {
  readonly requests: RecordedRequest[] = [];
  readonly closeEvents: CloseEvent[] = [];
  readonly problems: string[] = [];
  readonly #options: FakeOllamaOptions;
  readonly #faults: Map<string, Fault>;
  readonly #models: FakeModels;
  readonly #loader = new Loader();
  readonly #queue: Queue;
  readonly #lostSlots: (() => void)[] = [];
  readonly #attempts = new Map<string, number>();
  readonly #holds = new Map<string, { afterTokens: number; released: Promise<void>; release: () => void }>();
  readonly #library: LibraryModel[];
  readonly #pullHolds = new Map<string, PullHold>();
  #frozen: Promise<void> | undefined;

  constructor(options: FakeOllamaOptions) {
    this.#options = options;
    this.#faults = new Map(
      Object.entries(options.faults ?? {}).map(([path, value]) => [path, fault.parse(value)]),
    );
    this.#models = new FakeModels(options);
    this.#library = [...(options.library ?? [])];
    this.#queue = new Queue(options.parallel ?? Number.POSITIVE_INFINITY, options.maxQueue ?? 512);
  }

  get #clockAheadMs(): number {
    return this.#options.clockAheadMs ?? 0;
  }

  add(scenario: ScenarioInput): void {
    this.#models.add(scenario);
  }

  forget(): void {
    this.#models.forgetScenarios();
    for (const { release } of this.#holds.values()) release();
    this.#holds.clear();
  }

  hold(scenario: string, at: 'load' | { turn: number; afterTokens?: number }): () => void {
    const place = `${scenario} ${at === 'load' ? at : at.turn}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#holds.set(place, {
      afterTokens: at === 'load' ? 0 : (at.afterTokens ?? 0),
      released: promise,
      release: resolve,
    });
    return () => {
      this.#holds.delete(place);
      resolve();
    };
  }

  freeze(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#frozen = promise;
    return () => {
      this.#frozen = undefined;
      resolve();
    };
  }

  publish(model: LibraryModel): void {
    this.#library.push(model);
  }

  holdPull(model: string, at: number): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pullHolds.set(model, { at, released: promise });
    return () => {
      this.#pullHolds.delete(model);
      resolve();
    };
  }

  chats(): JsonObject[] {
    return this.requests.flatMap(({ path, body }) => {
      const parsed = path === '/api/chat' ? z.record(z.string(), z.json()).safeParse(body) : undefined;
      const messages = parsed?.data?.messages;
      const asks = Array.isArray(messages) && messages.length > 0 && !parsed?.data?._debug_render_only;
      return parsed?.success && asks ? [parsed.data] : [];
    });
  }

  async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '/', 'http://fake').pathname;
    const exchange = new Exchange(path, res, this.closeEvents);
    try {
      const text = await readBody(req);
      const recorded: RecordedRequest = {
        method: req.method ?? 'GET',
        path,
        body: bodyOf(text),
        at: Date.now(),
      };
      exchange.recorded = recorded;
      if (this.#options.record !== false) this.requests.push(recorded);
      if (this.#frozen) await unlessGone(this.#frozen, exchange.gone);
      const broken = this.#faults.get(path);
      if (broken) return await sendPlainFault(res, broken, exchange.gone);
      await this.#route(`${req.method} ${path}`, exchange, recorded);
    } catch (error) {
      if (exchange.gone.aborted) return; // the client is gone
      if (res.headersSent) res.destroy();
      else sendJson(res, 500, JSON.stringify({ error: `fake Ollama: ${errorMessage(error)}` }));
    }
  }

  async #route(route: string, exchange: Exchange, recorded: RecordedRequest): Promise<void> {
    const { res } = exchange;
    const reply = (value: unknown) => sendJson(res, 200, JSON.stringify(value));
    switch (route) {
      case 'GET /':
      case 'HEAD /':
        res.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('Ollama is running');
        return;
      case 'GET /api/version':
        return reply({ version: this.#options.version ?? '0.0.0-fake' });
      case 'GET /api/tags':
        return reply({ models: this.#models.all().map(tagOf) });
      case 'GET /api/ps':
        res.setHeader('date', new Date(Date.now() + this.#clockAheadMs).toUTCString());
        return reply({ models: this.#loader.running(this.#clockAheadMs) });
      case 'POST /api/show':
        return this.#show(recorded.body, res);
      case 'POST /api/chat':
        return await this.#chat(recorded, exchange);
      case 'POST /api/generate':
        return await this.#generate(recorded.body, exchange);
      case 'POST /api/pull':
        return await this.#pull(recorded.body, exchange);
      case 'POST /api/embed':
        return this.#embed(recorded.body, res);
      default:
        res.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
    }
  }

  #show(body: unknown, res: ServerResponse): void {
    const name = nameIn(body);
    const model = this.#models.modelOf(name);
    // A hostile server may report any model name.
    if (!model && !isModelName(name)) {
      sendJson(res, 500, JSON.stringify({ error: `unqualified name: ${name}` }));
      return;
    }
    if (!model) {
      sendJson(res, 404, JSON.stringify({ error: `model '${name}' not found` }));
      return;
    }
    sendJson(res, 200, JSON.stringify(showOf(model)));
  }

  async #pull(body: unknown, exchange: Exchange): Promise<void> {
    const name = nameIn(body);
    exchange.phase = 'reply';
    const wanted = this.#library.findLast(({ model }) => isSameModel(model.name, name));
    const hold = this.#pullHolds.get(name);
    const ended = await sendPull(exchange.res, wanted, { hold, gone: exchange.gone });
    // Pulling a model again replaces the previous one.
    if (ended && wanted) this.#models.addModel(wanted.model);
  }

  /** Embeddings that are similar for texts with the same words: one dimension per word hash. */
  #embed(body: unknown, res: ServerResponse): void {
    const asked = embedBody.safeParse(body);
    const { model: name, input, keep_alive: keepAlive } = asked.data ?? { model: '', input: [] };
    const badDuration = withoutUnit(keepAlive);
    const model = this.#models.modelOf(name);
    const refuse = (status: number, error: string) => sendJson(res, status, JSON.stringify({ error }));
    if (!asked.success) refuse(400, 'invalid input type');
    else if (badDuration) refuse(400, badDuration);
    else if (!model) refuse(404, `model '${name}' not found`);
    else if (model.remote_host !== undefined) refuse(404, `model "${name}" not found, try pulling it first`);
    else sendJson(res, 200, JSON.stringify({ model: name, embeddings: input.map(wordVector) }));
  }

  async #chat(recorded: RecordedRequest, exchange: Exchange): Promise<void> {
    const { res, gone } = exchange;
    const refuse = (status: number, error: string) => sendJson(res, status, JSON.stringify({ error }));
    const parsed = chatBody.safeParse(recorded.body);
    if (!parsed.success) return refuse(400, parsed.error.issues[0]?.message ?? 'bad request');
    const body = parsed.data;
    const badDuration = withoutUnit(body.keep_alive);
    if (badDuration) return refuse(400, badDuration);
    const model = this.#models.modelOf(body.model);
    if (!model) return refuse(404, `model '${body.model}' not found`);

    const messages = (body.messages ?? []).map((message) => seenMessage.parse(message));
    if (messages.length === 0 && isZero(body.keep_alive)) {
      const unload = () => {
        this.#loader.unload(model);
        for (const leave of this.#lostSlots.splice(0)) leave();
      };
      const { unloadMs } = this.#options;
      if (unloadMs === undefined) unload();
      else setTimeout(unload, unloadMs).unref();
      return sendJson(res, 200, phaseReply(body.model, 'unload'));
    }
    const offered = (body.tools ?? []).flatMap((tool) => toolName.safeParse(tool).data?.function.name ?? []);
    const lacking = lackingCapability(model, body, offered);
    if (lacking) return refuse(400, lacking);

    const scenario = this.#models.scenarioFor(body.model, messages, offered);
    recorded.scenario = scenario.name;
    // Forwarded to the other machine unchanged: nothing is loaded here, and no prompt is rendered.
    if (model.remote_host !== undefined) {
      const chat = { body, messages, offered, scenario, model, numCtx: model.context_length, loadMs: 0 };
      return await this.#answer(chat, exchange);
    }
    exchange.phase = 'load';
    if (scenario.load_fault) return await sendPlainFault(res, scenario.load_fault, gone);
    const loadRequest: LoadRequest = {
      model,
      numCtx: model.cuts_silently_at ?? Math.min(body.options?.num_ctx ?? 4096, model.context_length),
      keepAlive: body.keep_alive ?? undefined,
      loadMs: scenario.pace.load_ms ?? 0,
    };
    const held = this.#holds.get(`${scenario.name} load`);
    const loadMs = await this.#loader.load(loadRequest, async (ms) => {
      await wait(ms, gone);
      if (held) await unlessGone(held.released, gone);
    });
    try {
      if (messages.length === 0) return sendJson(res, 200, phaseReply(body.model, 'load'));
      if (body._debug_render_only === true)
        return sendJson(res, 200, debugReply(body.model, renderedPrompt(body)));
      if (typeof body.think === 'string' && !model.thinking_levels)
        return refuse(400, `think value "${body.think}" is not supported for this model`);
      const chat = { body, messages, offered, scenario, model, numCtx: loadRequest.numCtx, loadMs };
      await this.#inSlot(exchange, () => {
        exchange.phase = 'waiting';
        return this.#answer(chat, exchange);
      });
    } finally {
      this.#loader.used(loadRequest);
    }
  }

  /** Runs `work` once a slot is free; the slot is released afterwards unless it is lost. */
  async #inSlot(exchange: Exchange, work: () => Promise<void>): Promise<void> {
    exchange.phase = 'queue';
    const leave = await this.#queue.enter(exchange.gone);
    if (!leave) {
      const error = 'server busy, please try again.  maximum pending requests exceeded';
      return sendJson(exchange.res, 503, JSON.stringify({ error }));
    }
    try {
      await work();
    } finally {
      if (this.#options.losesSlots && exchange.hasLostReader) this.#lostSlots.push(leave);
      else leave();
    }
  }

  /** A prompt longer than the window is rejected once it has a slot. */
  async #generate(body: unknown, exchange: Exchange): Promise<void> {
    const { res } = exchange;
    const refuse = (status: number, error: string) => sendJson(res, status, JSON.stringify({ error }));
    const asked = generateBody.safeParse(body);
    if (!asked.success) return refuse(400, asked.error.issues[0]?.message ?? 'bad request');
    const { model: name, prompt, options, keep_alive: keepAlive } = asked.data;
    const badDuration = withoutUnit(keepAlive);
    if (badDuration) return refuse(400, badDuration);
    const model = this.#models.modelOf(name);
    if (!model) return refuse(404, `model '${name}' not found`);
    const numCtx = Math.min(options.num_ctx, model.context_length);
    const loadRequest: LoadRequest = { model, numCtx, keepAlive, loadMs: 0 };
    await this.#loader.load(loadRequest, async () => {});
    try {
      await this.#inSlot(exchange, async () => {
        const tokens = prompt.trim().split(/\s+/).length;
        if (tokens > numCtx) refuse(400, this.#overflow(tokens, numCtx));
        else refuse(501, 'the fake Ollama answers no prompt of /api/generate');
      });
    } finally {
      this.#loader.used(loadRequest);
    }
  }

  async #answer(
    chat: {
      body: ChatBody;
      messages: SeenMessage[];
      offered: string[];
      scenario: Scenario;
      model: FakeModel;
      numCtx: number;
      loadMs: number;
    },
    exchange: Exchange,
  ): Promise<void> {
    const { body, messages, scenario, numCtx } = chat;
    const { res, gone } = exchange;
    const turn = turnOf(messages);
    if (exchange.recorded) exchange.recorded.turn = turn;

    const found = formatted(stepAt(scenario, turn), body);
    const wrong = found ? unmet(found.step, chat) : `it has no step for turn ${turn}`;
    if (!found || wrong) {
      const problem = `scenario "${scenario.name}", turn ${turn}: ${wrong}`;
      this.problems.push(problem);
      return sendJson(res, 500, JSON.stringify({ error: problem }));
    }
    const answer = this.#attempt(found.step, body);
    const promptTokens = answer.reply?.prompt_eval_count ?? estimatedPromptTokens(body);
    const cutsSilently = chat.model.cuts_silently_at !== undefined;
    if (promptTokens > numCtx && body.truncate === false && !cutsSilently) {
      return sendJson(res, 400, JSON.stringify({ error: this.#overflow(promptTokens, numCtx) }));
    }
    const task = messages.find(({ role }) => role === 'user')?.content ?? '';
    const places = { n: found.round, turn: turn + 1, task };
    const given = answer.reply ?? {};
    const reply = scenarioReply.parse(answer.reply?.literal ? given : fillIn(given, places));
    const limit = reply.literal ? -1 : (body.options?.num_predict ?? -1);
    const room = Math.max(1, numCtx - Math.min(promptTokens, numCtx - 1));
    exchange.phase = 'reply';
    exchange.isStreamed = body.stream !== false;
    exchange.isMalformed = answer.fault?.kind === 'malformed-call';
    await sendReply(res, {
      model: body.model,
      remote: remoteOf(chat.model),
      reply: body.think === false ? { ...reply, thinking: undefined } : reply,
      fault: answer.fault,
      pace: { ...scenario.pace, ...answer.pace },
      streamed: body.stream !== false,
      promptTokens: Math.min(promptTokens, numCtx),
      maxTokens: Math.min(
        limit > 0 ? limit : Number.POSITIVE_INFINITY,
        body.shift === false && !reply.literal ? room : Number.POSITIVE_INFINITY,
      ),
      loadMs: chat.loadMs,
      hold: this.#holds.get(`${scenario.name} ${turn}`),
      gone,
    });
  }

  #overflow(promptTokens: number, numCtx: number): string {
    if (this.#options.overflowCounts === false) return 'the input length exceeds the context length';
    const message = `request (${promptTokens} tokens) exceeds the available context size (${numCtx} tokens), try increasing it`;
    const error = {
      code: 400,
      message,
      type: 'exceed_context_size_error',
      n_prompt_tokens: promptTokens,
      n_ctx: numCtx,
    };
    return JSON.stringify({ error }); // as observed from Ollama: JSON within the text
  }

  /** The answer of a step; with `attempts`, the one for the number of requests with the same conversation. */
  #attempt(step: ScenarioStep, body: ChatBody): Pick<ScenarioStep, 'reply' | 'fault' | 'pace'> {
    if (!step.attempts) return step;
    const key = createHash('sha256')
      .update(JSON.stringify([body.model, body.messages]))
      .digest('hex');
    const attempt = this.#attempts.get(key) ?? 0;
    this.#attempts.delete(key); // moved to the end, so that the oldest is evicted first
    this.#attempts.set(key, attempt + 1);
    const oldest = this.#attempts.size > MAX_ATTEMPTS ? this.#attempts.keys().next().value : undefined;
    if (oldest !== undefined) this.#attempts.delete(oldest);
    return step.attempts[Math.min(attempt, step.attempts.length - 1)] ?? step;
  }
}

const VECTOR_LENGTH = 64;

function wordVector(text: string): number[] {
  const vector = new Array<number>(VECTOR_LENGTH).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const place = (createHash('sha256').update(word).digest()[0] ?? 0) % VECTOR_LENGTH;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

/** Name syntax of 0.17.4: `/api/show` answers other names with a 500. */
function isModelName(name: string): boolean {
  return /^[\w.-]+(:\d+)?(\/[\w.-]+){0,2}(:[\w.-]+)?$/.test(name);
}

/** The error of Go's `time.ParseDuration` for seconds given as a string. */
function withoutUnit(keepAlive: string | number | null | undefined): string | undefined {
  if (typeof keepAlive !== 'string' || !/^[-+]?[\d.]+$/.test(keepAlive) || isZero(keepAlive))
    return undefined;
  return `time: missing unit in duration ${JSON.stringify(keepAlive)}`;
}

function isZero(keepAlive: string | number | null | undefined): boolean {
  return keepAlive !== null && keepAlive !== undefined && /^0+[a-z]*$/.test(String(keepAlive));
}

/** The model of a request: newer clients send `model`, older ones `name`. */
function nameIn(body: unknown): string {
  const asked = z.looseObject({ model: z.string().optional(), name: z.string().optional() }).safeParse(body);
  return asked.data?.model ?? asked.data?.name ?? '';
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    const piece = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += piece.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Error('the request is too large');
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function bodyOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text; // recorded unchanged; the route rejects it
  }
}
