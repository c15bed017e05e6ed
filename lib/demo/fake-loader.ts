import type { JsonObject } from '../util/json.ts';
import { fullName } from '../util/model-name.ts';
import type { FakeModel } from './scenario.ts';

export interface LoadRequest {
  model: FakeModel;
  numCtx: number;
  keepAlive: string | number | undefined;
  loadMs: number;
}

/** The `details` of a model, as in `/api/tags`, `/api/show` and `/api/ps`. */
export function detailsOf(model: FakeModel): JsonObject {
  const { family, format, parameter_size, quantization, remote_host } = model;
  return {
    parent_model: '',
    // A remote model has no local file to get these from.
    ...(remote_host === undefined
      ? { format, family, families: [family], parameter_size, quantization_level: quantization }
      : { format: '', family, families: [family], parameter_size: '', quantization_level: '' }),
  };
}

interface Loaded {
  model: FakeModel;
  numCtx: number;
  /** The number of requests in progress. */
  uses: number;
  stayMs: number;
  /** Milliseconds since 1970, set when the last request in progress ends; extended while one is. */
  expiresAt?: number;
}

const DEFAULT_KEEP_ALIVE_MS = 5 * 60_000;

/** Cache bytes per token of context, so that a larger window makes a model larger. */
const BYTES_PER_TOKEN = 64;

/**
 * The loaded models with their windows and expiry times, as in `/api/ps`. As in Ollama, models with the same weights
 * share a runner, which is listed under the name that loaded it.
 */
export class Loader {
  /** By the digest of the weights. */
  readonly #loaded = new Map<string, Loaded>();
  readonly #loading = new Map<string, LoadRequest>();

  /**
   * Loads a model unless it is already loaded with this window (OL14), for a request in progress until `used`. Returns
   * the duration in milliseconds.
   */
  async load(request: LoadRequest, wait: (ms: number) => Promise<void>): Promise<number> {
    const { model, numCtx, loadMs } = request;
    const before = this.#current(model.weights);
    if (before?.numCtx === numCtx) {
      before.uses += 1;
      before.stayMs = stayMs(request.keepAlive);
      return 0;
    }
    this.#loaded.delete(model.weights);
    this.#loading.set(model.weights, request);
    try {
      await wait(loadMs); // throws if the client disconnects, which cancels the load (OL10)
    } finally {
      this.#loading.delete(model.weights);
    }
    this.#loaded.set(model.weights, { model, numCtx, uses: 1, stayMs: stayMs(request.keepAlive) });
    return loadMs;
  }

  /**
   * A request has ended: after the last one in progress, the expiry time restarts; with `keep_alive: 0` the model is
   * unloaded.
   */
  used({ model }: LoadRequest): void {
    const now = this.#current(model.weights);
    if (!now) return;
    now.uses = Math.max(0, now.uses - 1);
    if (now.uses === 0) now.expiresAt = Date.now() + now.stayMs;
  }

  unload(model: FakeModel): void {
    this.#loaded.delete(model.weights);
  }

  /** The body of `/api/ps`, with a clock that may differ from ours: the loaded and loading models. */
  running(clockAheadMs: number): JsonObject[] {
    const loading = [...this.#loading.values()].map((request) => ({ ...request, expiresAt: Date.now() }));
    const loaded = [...this.#loaded.keys()]
      .flatMap((weights) => this.#current(weights) ?? [])
      .map((entry) => ({ ...entry, expiresAt: entry.expiresAt ?? Date.now() + entry.stayMs }));
    return [...loading, ...loaded].map(({ model, numCtx, expiresAt }) => {
      // A scenario without a size takes no memory either.
      const size = model.size_bytes === 0 ? 0 : model.size_bytes + numCtx * BYTES_PER_TOKEN;
      return {
        name: fullName(model.name),
        model: fullName(model.name),
        size,
        digest: model.digest,
        details: detailsOf(model),
        expires_at: new Date(expiresAt + clockAheadMs).toISOString(),
        size_vram: Math.round(size * model.vram_share),
        ...(model.cuts_silently_at === undefined && { context_length: numCtx }),
      };
    });
  }

  #current(weights: string): Loaded | undefined {
    const entry = this.#loaded.get(weights);
    if (entry?.uses === 0 && (entry.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) {
      this.#loaded.delete(weights);
      return undefined;
    }
    return entry;
  }
}

/** The longest duration that Ollama supports: 2^63 - 1 nanoseconds. */
const FOR_EVER_MS = (2 ** 63 - 1) / 1e6;
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Seconds as a number, or a duration such as `5m`; negative means forever. */
function stayMs(keepAlive: string | number | undefined): number {
  if (keepAlive === undefined) return DEFAULT_KEEP_ALIVE_MS;
  const match = /^(-?\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(String(keepAlive));
  if (!match) return DEFAULT_KEEP_ALIVE_MS;
  const ms = Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000);
  return ms < 0 ? FOR_EVER_MS : ms;
}
