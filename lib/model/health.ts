import pMap from 'p-map';
import type { ModelDetails } from './chat-model.ts';
import type { InstalledModel } from './installed-model.ts';
import { ModelError } from './model-error.ts';
import { connectOllama } from './ollama-connection.ts';
import type { OllamaHost } from './ollama-host.ts';
import { listInstalled, listRunning, ping, show } from './ollama-models.ts';
import type { RunningModel } from './running-model.ts';

/** Concurrent `/api/show` requests while completing the list of models. */
const PARALLEL_SHOWS = 4;

/**
 * Limits on the number of listed models and on the time for fetching their details, since a server may list any
 * number of models.
 */
const MAX_MODELS = 500;
const DETAILS_WITHIN_MS = 8000;
/** Max length of a model name that runs accept. */
const MAX_NAME_CHARS = 300;
/** Max size of a model's details, which contain its license and template. */
const MAX_SHOW_BYTES = 2 * 1024 * 1024;

/** The models of a server. */
interface ModelCatalog {
  models: CatalogModel[];
  /** Models of the server that are not listed. */
  notListed: number;
  /** Listed models without details, because the time was up. */
  notAsked: number;
}

/** An installed model with details from `/api/show`, which stay `undefined` if that request failed. */
interface CatalogModel extends InstalledModel {
  capabilities?: readonly string[];
  maxContextTokens?: number;
  /** Ollama's runner key. */
  runnerKey?: string;
}

/** Queries about one Ollama server, for the health panel and the list of models. */
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
  /**
   * The installed models with their capabilities, which are requested again only when a model's digest changed. Takes
   * at most 18 s.
   */
  listModels(signal?: AbortSignal): Promise<ModelCatalog>;
  /** The models currently in memory. */
  listRunningModels(signal?: AbortSignal): Promise<RunningModel[] | undefined>;
}

/** Opens no connection by itself. Keep one instance per server, because it caches capabilities. */
export function createOllamaHealth({
  host,
  detailsWithinMs = DETAILS_WITHIN_MS,
}: {
  host: OllamaHost;
  /** Total time for fetching all capabilities, in milliseconds. Default: 8000. */
  detailsWithinMs?: number;
}): OllamaHealth {
  const connection = connectOllama(host);
  const forDetails = { ...connection, limits: { ...connection.limits, maxResponseBytes: MAX_SHOW_BYTES } };
  let known = new Map<string, ModelDetails>();

  const details = async (model: InstalledModel, signal?: AbortSignal): Promise<ModelDetails | undefined> => {
    const remembered = model.digest === undefined ? undefined : known.get(model.digest);
    if (remembered) return remembered;
    try {
      return await show(forDetails, model.name, signal);
    } catch (error) {
      // One broken model must not hide the others: it is listed without capabilities.
      if (error instanceof ModelError && (error.status !== undefined || error.kind === 'bad_response'))
        return undefined;
      throw error;
    }
  };

  return {
    async checkOllamaReady({ model, signal } = {}) {
      const { version } = await ping(connection, signal);
      return { version, model: model === undefined ? undefined : await show(connection, model, signal) };
    },

    async listModels(signal) {
      const named = await listInstalled(connection, signal);
      const installed = named.filter(({ name }) => name.length <= MAX_NAME_CHARS).slice(0, MAX_MODELS);
      const late = AbortSignal.timeout(detailsWithinMs);
      const within = signal ? AbortSignal.any([signal, late]) : late;
      let notAsked = 0;
      const ask = async (model: InstalledModel) => {
        try {
          if (!late.aborted || known.has(model.digest ?? '')) return await details(model, within);
        } catch (error) {
          if (!late.aborted || signal?.aborted) throw error;
        }
        notAsked += 1;
        return undefined;
      };
      const next = new Map<string, ModelDetails>();
      const complete = async (model: InstalledModel): Promise<CatalogModel> => {
        const shown = await ask(model);
        if (shown && model.digest !== undefined) next.set(model.digest, shown);
        return {
          ...model,
          capabilities: shown?.capabilities,
          maxContextTokens: shown?.maxContextTokens,
          // A model without a file of weights shares its runner with copies of its manifest alone.
          runnerKey: shown?.runnerKey === '' ? model.digest : shown?.runnerKey,
        };
      };
      const models = await pMap(installed, complete, { concurrency: PARALLEL_SHOWS });
      known = next; // also drops removed models
      return { models, notListed: named.length - installed.length, notAsked };
    },

    listRunningModels: (signal) => listRunning(connection, signal),
  };
}
