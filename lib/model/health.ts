import type { ModelDetails } from './chat-model.ts';
import { ModelError } from './model-error.ts';
import { connectOllama } from './ollama-connection.ts';
import type { OllamaHost } from './ollama-host.ts';
import {
  type InstalledModel,
  listInstalled,
  listRunning,
  ping,
  type RunningModel,
  show,
} from './ollama-models.ts';

/** `/api/show` requests at a time while the list of models is completed. */
const PARALLEL_SHOWS = 4;

/** An installed model with what `/api/show` adds. Fields stay `undefined` when that question failed. */
export interface CatalogModel extends InstalledModel {
  capabilities?: readonly string[];
  maxContextTokens?: number;
}

/** Questions about one Ollama server, for the health panel and the list of models. */
export interface OllamaHealth {
  /**
   * The checks at the start of a run, in the order of S1, S2: the server, then the model.
   *
   * @throws {OllamaUnavailableError} `Cannot connect to Ollama … Is Ollama running?`
   * @throws {ModelNotAvailableError} `ollama pull {model}`; a status other than 404 is named (K-34)
   */
  checkOllamaReady(options?: {
    model?: string;
    signal?: AbortSignal;
  }): Promise<{ version?: string; model?: ModelDetails }>;
  /** The installed models with their capabilities; asked again only when a model's digest changed. */
  listModels(signal?: AbortSignal): Promise<CatalogModel[]>;
  /** The models in memory at the moment. */
  listRunningModels(signal?: AbortSignal): Promise<RunningModel[]>;
}

/** Opens nothing by itself; keep one per server, as it remembers capabilities. */
export function createOllamaHealth({ host }: { host: OllamaHost }): OllamaHealth {
  const connection = connectOllama(host);
  let known = new Map<string, ModelDetails>();

  const details = async (model: InstalledModel, signal?: AbortSignal): Promise<ModelDetails | undefined> => {
    const remembered = model.digest === undefined ? undefined : known.get(model.digest);
    if (remembered) return remembered;
    try {
      return await show(connection, model.name, signal);
    } catch (error) {
      // One broken model must not hide the others: it is listed without capabilities.
      if (error instanceof ModelError && error.status !== undefined) return undefined;
      throw error;
    }
  };

  return {
    async checkOllamaReady({ model, signal } = {}) {
      const { version } = await ping(connection, signal);
      return { version, model: model === undefined ? undefined : await show(connection, model, signal) };
    },

    async listModels(signal) {
      const installed = await listInstalled(connection, signal);
      const catalog: CatalogModel[] = [];
      const next = new Map<string, ModelDetails>();
      for (let start = 0; start < installed.length; start += PARALLEL_SHOWS) {
        const group = installed.slice(start, start + PARALLEL_SHOWS);
        const found = await Promise.all(group.map((model) => details(model, signal)));
        group.forEach((model, index) => {
          const shown = found[index];
          if (shown && model.digest !== undefined) next.set(model.digest, shown);
          catalog.push({
            ...model,
            capabilities: shown?.capabilities,
            maxContextTokens: shown?.maxContextTokens,
          });
        });
      }
      known = next; // models that are gone are forgotten with it
      return catalog;
    },

    listRunningModels: (signal) => listRunning(connection, signal),
  };
}

/** `createOllamaHealth(…).checkOllamaReady(…)` for a single check. */
export function checkOllamaReady(options: {
  host: OllamaHost;
  model?: string;
  signal?: AbortSignal;
}): Promise<{ version?: string; model?: ModelDetails }> {
  return createOllamaHealth({ host: options.host }).checkOllamaReady(options);
}
