import { hostname } from 'node:os';
import type { FurtherModels } from '../api/asked-models.ts';
import type { HealthReply, InstalledModel, ModelsReply } from '../api/replies.ts';
import type { RenderedBy } from '../api/sent-request.ts';
import { DEMO_MODELS, isDemoModel, startDemoOllama } from '../demo/demo-scenarios.ts';
import { AppError, errorParts } from '../errors/app-error.ts';
import type { ChatModel, ChatRequest, ModelDetails } from '../model/chat-model.ts';
import { createOllamaHealth, type OllamaHealth } from '../model/health.ts';
import { ModelError, OllamaNotRespondingError, unlessModelError } from '../model/model-error.ts';
import { chatModelOn } from '../model/ollama-chat-model.ts';
import { connectOllama, type OllamaConnection } from '../model/ollama-connection.ts';
import { type OllamaHost, parseOllamaHost } from '../model/ollama-host.ts';
import {
  recentDetails,
  recentlyInstalled,
  recentlyRunning,
  recentPing,
  show,
  unloadModel,
} from '../model/ollama-models.ts';
import { pullModel } from '../model/ollama-pull.ts';
import { renderPrompt } from '../model/ollama-render.ts';
import { SHORT_WHILE_MS } from '../model/recent-answers.ts';
import { readRemote } from '../model/remote-model.ts';
import { findRunner, refuseRemote } from '../model/residency.ts';
import type { RunningModel } from '../model/running-model.ts';
import { PromptAnswers } from '../runs/prompt-answers.ts';
import { fullName, isSameModel } from '../util/model-name.ts';
import { shortText } from '../util/short-text.ts';
import type { PullModel } from './model-pulls.ts';

/** Health and model list must respond within a second even if Ollama does not. */
const ANSWER_WITHIN_MS = 800;

/** Max wait for model details before a run starts. On a timeout the run starts anyway and finds out itself. */
const ADMIT_TIMEOUT_MS = 1000;

interface Server {
  readonly host: OllamaHost;
  readonly connection: OllamaConnection;
  readonly model: ChatModel;
  readonly health: OllamaHealth;
}

/** The installed models of the configured Ollama, and what the list omits. */
interface Installed {
  installed: InstalledModel[];
  partial?: ModelsReply['partial'];
}

/**
 * The model servers of this installation: the configured Ollama, and the demo server, which starts when a run first
 * uses one of its models.
 */
export class ModelServers {
  readonly #ollama: Server;
  readonly #allowRemoteModels: boolean;
  readonly #lists = new PromptAnswers<Installed>(ANSWER_WITHIN_MS);
  readonly #pings = new PromptAnswers<{ version?: string }>(ANSWER_WITHIN_MS);
  readonly #shows = new PromptAnswers<ModelDetails>(ANSWER_WITHIN_MS);
  #lastListed: Installed = { installed: [] };
  /** When Ollama stopped responding, in milliseconds of `performance.now()`; reset by its next response. */
  #silentSince: number | undefined;
  #demo: Promise<{ server: Server; close(): Promise<void> }> | undefined;

  /** @param options.allowRemoteModels whether to allow models that Ollama forwards to another machine */
  constructor(host: OllamaHost, { allowRemoteModels = false }: { allowRemoteModels?: boolean } = {}) {
    this.#allowRemoteModels = allowRemoteModels;
    this.#ollama = connect(host, { allowRemoteModels });
  }

  /** Queue key within this process: runs on the same server share its slots. */
  hostOf(model: string): string {
    return isDemoModel(model) ? 'demo' : this.#ollama.host.url;
  }

  /** Queue key across processes. A loopback address is specific to this machine, the demo server to this process. */
  sharedHostOf(model: string): string {
    if (isDemoModel(model)) return `demo ${hostname()}:${process.pid}`;
    const { url, loopback } = this.#ollama.host;
    return loopback ? `${hostname()} ${url}` : url;
  }

  /** The client of the server that has this model. */
  async modelFor(model: string): Promise<ChatModel> {
    return (await this.#serverOf(model)).model;
  }

  /**
   * Rejects models that runs cannot or may not use: remote models if they are not allowed, embedding-only models that
   * should write, and missing ones that a run would only ask after minutes of work. Accepts a model if the server does
   * not respond within a second. Meanwhile sends the first queries of a run, so that it need not wait for the answers.
   *
   * @param allowed.missing whether a missing embedding model or judge is accepted: a run can do without
   * @throws {AppError} `remote_model`, `model_no_completion`, `invalid_request` for a missing one
   */
  async admit(
    { model, embeddingModel, operatorModel, judges = [] }: FurtherModels & { model: string },
    allowed = { missing: false },
  ): Promise<void> {
    // The run reports that its own model is missing, or the one that replies, before it does anything.
    const reported = { missing: true };
    await this.#admitWriter(model, 'model', reported);
    if (operatorModel !== undefined) await this.#admitWriter(operatorModel, 'operator_model', reported);
    for (const judge of judges) await this.#admitWriter(judge, 'checks', allowed);
    if (embeddingModel !== undefined)
      await this.#details(embeddingModel, 'diversity.embedding_model', allowed);
  }

  async #admitWriter(model: string, field: string, allowed: { missing: boolean }): Promise<void> {
    const details = await this.#details(model, field, allowed);
    if (details?.capabilities && !details.capabilities.includes('completion')) throw noCompletion(model);
  }

  /** @throws {AppError} `remote_model`, `invalid_request` for a missing model that is not allowed */
  async #details(
    model: string,
    field: string,
    allowed: { missing: boolean },
  ): Promise<ModelDetails | undefined> {
    if (isDemoModel(model)) return undefined;
    const { connection } = this.#ollama;
    refuseRemote(connection, model, readRemote(model, {})); // recognized by name, without a request
    const signal = AbortSignal.timeout(ADMIT_TIMEOUT_MS);
    // Requested before the list, which then need not be requested again if it lacks the model
    // (`showInstalled`).
    const asked = recentDetails(connection, model, signal).catch((error: unknown) => {
      if (error instanceof ModelError && error.kind === 'model_missing' && !allowed.missing)
        throw missingModel(field, error);
      return unlessModelError(error);
    });
    const ahead = [
      recentPing(connection, signal),
      recentlyInstalled(connection, signal, SHORT_WHILE_MS),
      recentlyRunning(connection, signal),
    ];
    for (const answer of ahead) answer.catch(unlessModelError);
    const details = await asked;
    if (details) refuseRemote(connection, model, details.remote);
    return details;
  }

  /** The models that a run can use, always including the demo models, labeled as such. */
  async list(): Promise<ModelsReply> {
    const { installed, partial, ollama } = await this.#listed();
    const demo: InstalledModel[] = DEMO_MODELS.map((name) => ({
      name,
      demo: true,
      capabilities: ['completion', 'tools'],
    }));
    return { models: [...installed, ...demo], ollama, ...(partial && { partial }) };
  }

  async #listed(): Promise<Installed & Pick<ModelsReply, 'ollama'>> {
    try {
      const found = await this.#lists.ask('', (closed) => this.#installed(closed));
      if (found) return { ...found.answer, ollama: 'ok' };
    } catch (error) {
      // Without Ollama the demo models remain; the health panel reports the problem.
      if (!(error instanceof AppError)) throw error;
      if (!isSilence(error)) return { installed: [], ollama: 'down' };
    }
    // Whether they are still loaded is unknown.
    const { installed, partial } = this.#lastListed;
    return { installed: installed.map(({ loaded, memory, ...model }) => model), partial, ollama: 'unknown' };
  }

  /** Runs the checks of S1 and S2 in parallel, each with its hint. */
  async check(model: string | undefined): Promise<Pick<HealthReply, 'ollama' | 'model' | 'demo'>> {
    const [ollama, asked] = await Promise.all([
      this.#checkServer(),
      model === undefined ? undefined : this.#checkModel(model),
    ]);
    return { ollama, model: asked, demo: { available: true, models: [...DEMO_MODELS] } };
  }

  /**
   * Has the server render the prompt of a request, and reports which model and server did so. Loads the model (OL5).
   */
  async render(
    request: ChatRequest,
    context: { signal: AbortSignal; timeoutMs: number },
  ): Promise<{ prompt: string; by: RenderedBy }> {
    const { connection, model } = await this.#serverOf(request.model);
    connection.facts.forget(); // the model may have been recreated a moment ago
    const { digest } = await model.show(request.model, context.signal);
    const { version } = await model.ping(context.signal);
    const prompt = await renderPrompt(connection, request, context);
    return { prompt, by: { ...(digest && { digest }), ...(version && { server_version: version }) } };
  }

  /**
   * The full names of all installed models that share this model's runner, including itself; only itself if Ollama
   * does not report this.
   */
  async namesOfRunner(model: string, signal: AbortSignal): Promise<readonly string[]> {
    const own = fullName(model);
    try {
      const { models } = await (await this.#serverOf(model)).health.listModels(signal);
      const key = models.find(({ name }) => name === own)?.runnerKey;
      const others = models.filter(
        ({ name, runnerKey }) => name !== own && key !== undefined && runnerKey === key,
      );
      return [own, ...others.map(({ name }) => name)];
    } catch (error) {
      if (error instanceof ModelError && !signal.aborted) return [own];
      throw error;
    }
  }

  /** Unloads a model (OL9). @throws {ModelError} */
  async unload(model: string, signal: AbortSignal): Promise<void> {
    await unloadModel((await this.#serverOf(model)).connection, model, signal);
  }

  /** Pulls a model with Ollama; the demo server does not support pulls. */
  readonly pull: PullModel = async (model, options) => {
    try {
      await pullModel(this.#ollama.host, model, options);
    } finally {
      this.#ollama.connection.facts.forget();
    }
  };

  async close(): Promise<void> {
    for (const answers of [this.#lists, this.#pings, this.#shows]) answers.close();
    await (await this.#demo)?.close();
  }

  async #checkServer(): Promise<HealthReply['ollama']> {
    const { host, health } = this.#ollama;
    const { url } = host;
    try {
      const found = await this.#pings.ask('', (closed) => health.checkOllamaReady({ signal: closed }));
      if (found) {
        this.#silentSince = undefined;
        return { ok: true, url, version: found.answer.version };
      }
    } catch (error) {
      if (!isSilence(error)) {
        this.#silentSince = undefined;
        return { ok: false, url, error: shown(error) };
      }
    }
    return { ok: false, unknown: true, url, error: this.#silent() };
  }

  async #checkModel(name: string): Promise<HealthReply['model']> {
    try {
      const { connection } = await this.#serverOf(name);
      const found = await this.#shows.ask(name, (closed) => show(connection, name, closed));
      if (!found) return { ok: false, unknown: true, name };
      const { capabilities, remote } = found.answer;
      refuseRemote(connection, name, remote);
      return { ok: true, name, capabilities: capabilities && [...capabilities] };
    } catch (error) {
      return isSilence(error) ? { ok: false, unknown: true, name } : { ok: false, name, error: shown(error) };
    }
  }

  #silent(): NonNullable<HealthReply['ollama']['error']> {
    this.#silentSince ??= performance.now() - ANSWER_WITHIN_MS;
    const seconds = Math.round((performance.now() - this.#silentSince) / 1000);
    return {
      code: 'ollama_not_responding',
      message: `Ollama at ${this.#ollama.host.url} is not responding: no answer for ${seconds} s.`,
      hint: 'It may be overloaded for a moment. If it stays silent, restart Ollama.',
    };
  }

  async #installed(signal: AbortSignal): Promise<Installed> {
    const { health } = this.#ollama;
    const [{ models, notListed, notAsked }, running] = await Promise.all([
      health.listModels(signal),
      health.listRunningModels(signal),
    ]);
    const keys = new Map(models.map(({ digest, runnerKey }) => [digest, runnerKey]));
    const installed = models.map((model) => {
      const found = running
        ? findRunner(model, running, (digest) => keys.get(digest))
        : { state: 'unknown' as const };
      const { remote } = model;
      return {
        name: model.name,
        demo: false,
        size_bytes: model.sizeBytes,
        family: model.family,
        parameter_size: model.parameterSize,
        quantization: model.quantization,
        capabilities: model.capabilities && [...model.capabilities],
        max_context_tokens: model.maxContextTokens,
        modified_at: model.modifiedAt,
        digest: model.digest,
        memory: found.state,
        loaded: found.state === 'loaded' ? shownLoad(model.name, found.model) : undefined,
        remote: remote && { ...remote, allowed: this.#allowRemoteModels },
      };
    });
    const partial =
      notListed + notAsked > 0 ? { not_listed: notListed, without_details: notAsked } : undefined;
    this.#lastListed = { installed, partial };
    return this.#lastListed;
  }

  async #serverOf(model: string): Promise<Server> {
    if (!isDemoModel(model)) return this.#ollama;
    this.#demo ??= startDemoOllama().then(({ url, close }) => ({
      server: connect(parseOllamaHost(url)),
      close,
    }));
    return (await this.#demo).server;
  }
}

function connect(host: OllamaHost, { allowRemoteModels = false } = {}): Server {
  const connection = connectOllama(host, {}, { allowRemoteModels });
  return {
    host,
    connection,
    model: chatModelOn(connection),
    health: createOllamaHealth({ host }),
  };
}

/** A loaded runner, and the name it was loaded under if that differs. */
function shownLoad(name: string, runner: RunningModel): InstalledModel['loaded'] {
  const { contextTokens, sizeBytes, vramBytes, expiresAt } = runner;
  return {
    context_tokens: contextTokens,
    size_bytes: sizeBytes,
    vram_bytes: vramBytes,
    expires_at: expiresAt === undefined ? undefined : timeOf(expiresAt),
    ...(!isSameModel(runner.name, name) && { loaded_as: runner.name }),
  };
}

function noCompletion(model: string): AppError {
  return new AppError({
    code: 'model_no_completion',
    message: `Model "${shortText(model, 200)}" cannot write replies: Ollama lists no capability "completion" for it.`,
    hint: 'Choose another model. One that makes embeddings can be the embedding model of an exploration.',
  });
}

function missingModel(field: string, error: ModelError): AppError {
  const { message, hint, cause } = error;
  return new AppError({ code: 'invalid_request', message: `${field}: ${message}`, hint, cause });
}

function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** A request that timed out before and has failed for that reason again. */
function isSilence(error: unknown): boolean {
  return error instanceof OllamaNotRespondingError;
}

function shown(error: unknown): { code: string; message: string; hint?: string } {
  if (!(error instanceof AppError)) throw error;
  return errorParts(error);
}
