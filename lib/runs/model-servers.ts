import { hostname } from 'node:os';
import type { HealthReply, InstalledModel, ModelsReply } from '../api/replies.ts';
import { DEMO_MODELS, isDemoModel, startDemoOllama } from '../demo/demo-scenarios.ts';
import { AppError } from '../errors/app-error.ts';
import type { ChatModel, ChatRequest } from '../model/chat-model.ts';
import { createOllamaHealth, type OllamaHealth } from '../model/health.ts';
import { createOllamaChatModel } from '../model/ollama-chat-model.ts';
import { connectOllama, type OllamaConnection } from '../model/ollama-connection.ts';
import { type OllamaHost, parseOllamaHost } from '../model/ollama-host.ts';
import { unloadModel } from '../model/ollama-models.ts';
import { pullModel } from '../model/ollama-pull.ts';
import { renderPrompt } from '../model/ollama-render.ts';
import type { PullModel } from '../models/model-pulls.ts';

interface Server {
  readonly host: OllamaHost;
  readonly connection: OllamaConnection;
  readonly model: ChatModel;
  readonly health: OllamaHealth;
}

/**
 * The model servers of this installation: the Ollama of the settings, and the demonstration, which is started when a
 * run first asks for one of its models.
 */
export class ModelServers {
  readonly #ollama: Server;
  #demo: Promise<{ server: Server; close(): Promise<void> }> | undefined;

  constructor(host: OllamaHost) {
    this.#ollama = connect(host);
  }

  /** Runs of one server wait for each other. */
  hostOf(model: string): string {
    return isDemoModel(model) ? 'demo' : this.#ollama.host.url;
  }

  /** The same for several processes: what is on the loopback interface belongs to this machine, the demonstration to this process. */
  sharedHostOf(model: string): string {
    if (isDemoModel(model)) return `demo ${hostname()}:${process.pid}`;
    const { url, loopback } = this.#ollama.host;
    return loopback ? `${hostname()} ${url}` : url;
  }

  /** The way to the server that has this model. */
  async modelFor(model: string): Promise<ChatModel> {
    return (await this.#serverOf(model)).model;
  }

  /** The models a run can be started with. The demonstration is always among them, labelled. */
  async list(signal: AbortSignal): Promise<ModelsReply> {
    const installed = await this.#installed(signal).catch((error: unknown) => {
      // Without Ollama there is still the demonstration; the health panel says what is missing.
      if (error instanceof AppError && !signal.aborted) return [];
      throw error;
    });
    const demo: InstalledModel[] = DEMO_MODELS.map((name) => ({
      name,
      demo: true,
      capabilities: ['completion', 'tools'],
    }));
    return { models: [...installed, ...demo] };
  }

  /** Both checks of S1 and S2, each with its hint. */
  async check(
    model: string | undefined,
    signal: AbortSignal,
  ): Promise<Pick<HealthReply, 'ollama' | 'model' | 'demo'>> {
    const { host, health } = this.#ollama;
    const server = await health.checkOllamaReady({ signal }).then(
      ({ version }) => ({ ok: true, url: host.url, version }),
      (error: unknown) => ({ ok: false, url: host.url, error: shown(error) }),
    );
    return {
      ollama: server,
      model: model === undefined ? undefined : await this.#checkModel(model, signal),
      demo: { available: true, models: [...DEMO_MODELS] },
    };
  }

  /** The prompt that the model's server makes of a request; loads the model (OL5). */
  async render(request: ChatRequest, context: { signal: AbortSignal; timeoutMs: number }): Promise<string> {
    return renderPrompt((await this.#serverOf(request.model)).connection, request, context);
  }

  /** Takes a model out of memory (OL9). @throws {ModelError} */
  async unload(model: string, signal: AbortSignal): Promise<void> {
    await unloadModel((await this.#serverOf(model)).connection, model, signal);
  }

  /** Has Ollama fetch a model; the demonstration has none to fetch. */
  readonly pull: PullModel = (model, options) => pullModel(this.#ollama.host, model, options);

  async close(): Promise<void> {
    await (await this.#demo)?.close();
  }

  async #checkModel(name: string, signal: AbortSignal): Promise<HealthReply['model']> {
    try {
      const { health } = await this.#serverOf(name);
      const { model } = await health.checkOllamaReady({ model: name, signal });
      return { ok: true, name, capabilities: model?.capabilities && [...model.capabilities] };
    } catch (error) {
      return { ok: false, name, error: shown(error) };
    }
  }

  async #installed(signal: AbortSignal): Promise<InstalledModel[]> {
    const { health } = this.#ollama;
    const [models, running] = await Promise.all([
      health.listModels(signal),
      health.listRunningModels(signal),
    ]);
    return models.map((model) => {
      const loaded = running.find(({ name }) => name === model.name);
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
        loaded: loaded && {
          context_tokens: loaded.contextTokens,
          size_bytes: loaded.sizeBytes,
          vram_bytes: loaded.vramBytes,
          expires_at: loaded.expiresAt === undefined ? undefined : timeOf(loaded.expiresAt),
        },
      };
    });
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

function connect(host: OllamaHost): Server {
  return {
    host,
    connection: connectOllama(host),
    model: createOllamaChatModel({ host }),
    health: createOllamaHealth({ host }),
  };
}

function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function shown(error: unknown): { code: string; message: string; hint?: string } {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message, hint: error.hint };
}
