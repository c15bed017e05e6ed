import { createHash } from 'node:crypto';
import type { JsonObject } from '../util/json.ts';
import type { FakeModel } from './scenario.ts';

export interface LoadRequest {
  model: FakeModel;
  numCtx: number;
  keepAlive: string | number | undefined;
  loadMs: number;
}

/** Ollama's name for a model: `qwen3` is `qwen3:latest`. */
export function fullName(name: string): string {
  return name.includes(':') ? name : `${name}:latest`;
}

/** Changes with everything that `/api/show` tells, as a real digest does. */
export function digestOf(model: FakeModel): string {
  return createHash('sha256').update(JSON.stringify(model)).digest('hex');
}

interface Loaded {
  model: FakeModel;
  numCtx: number;
  /** How many requests are at work with it. */
  uses: number;
  stayMs: number;
  /** Milliseconds since 1970, set whenever the last request at work is over; until the first one is, it runs along. */
  expiresAt?: number;
}

const DEFAULT_KEEP_ALIVE_MS = 5 * 60_000;

/** Bytes of cache for one token of context, so that a larger window shows as a larger model. */
const BYTES_PER_TOKEN = 64;

/** Which models are in memory, with which window, and until when: what `/api/ps` shows. */
export class Loader {
  readonly #loaded = new Map<string, Loaded>();
  readonly #loading = new Map<string, LoadRequest>();

  /**
   * Loads unless the model is there with this window already (OL14), for a request that is at work until `used`. Returns the
   * milliseconds that it took.
   */
  async load(request: LoadRequest, wait: (ms: number) => Promise<void>): Promise<number> {
    const { model, numCtx, loadMs } = request;
    const before = this.#current(model.name);
    if (before?.numCtx === numCtx) {
      before.uses += 1;
      before.stayMs = stayMs(request.keepAlive);
      return 0;
    }
    this.#loaded.delete(model.name);
    this.#loading.set(model.name, request);
    try {
      await wait(loadMs); // throws when the client leaves: the load is given up (OL10)
    } finally {
      this.#loading.delete(model.name);
    }
    this.#loaded.set(model.name, { model, numCtx, uses: 1, stayMs: stayMs(request.keepAlive) });
    return loadMs;
  }

  /** A request is over: with the last one at work, the time until unloading starts anew; with `keep_alive: 0` it is over. */
  used({ model }: LoadRequest): void {
    const now = this.#current(model.name);
    if (!now) return;
    now.uses = Math.max(0, now.uses - 1);
    if (now.uses === 0) now.expiresAt = Date.now() + now.stayMs;
  }

  unload(model: FakeModel): void {
    this.#loaded.delete(model.name);
  }

  /** The body of `/api/ps`, by a clock that may be ahead of the one here: what is loaded, and what is being loaded. */
  running(clockAheadMs: number): JsonObject[] {
    const loading = [...this.#loading.values()].map((request) => ({ ...request, expiresAt: Date.now() }));
    const loaded = [...this.#loaded.keys()]
      .flatMap((name) => this.#current(name) ?? [])
      .map((entry) => ({ ...entry, expiresAt: entry.expiresAt ?? Date.now() + entry.stayMs }));
    return [...loading, ...loaded].map(({ model, numCtx, expiresAt }) => {
      // A script that says it has no size takes no memory either.
      const size = model.size_bytes === 0 ? 0 : model.size_bytes + numCtx * BYTES_PER_TOKEN;
      return {
        name: fullName(model.name),
        model: fullName(model.name),
        size,
        digest: digestOf(model),
        details: { format: model.format },
        expires_at: new Date(expiresAt + clockAheadMs).toISOString(),
        size_vram: Math.round(size * model.vram_share),
        ...(model.cuts_silently_at === undefined && { context_length: numCtx }),
      };
    });
  }

  #current(name: string): Loaded | undefined {
    const entry = this.#loaded.get(name);
    if (entry?.uses === 0 && (entry.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) {
      this.#loaded.delete(name);
      return undefined;
    }
    return entry;
  }
}

/** The longest duration that Ollama knows: 2^63 - 1 nanoseconds. */
const FOR_EVER_MS = (2 ** 63 - 1) / 1e6;
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Seconds as a number, or a duration such as `5m`; negative means for ever. */
function stayMs(keepAlive: string | number | undefined): number {
  if (keepAlive === undefined) return DEFAULT_KEEP_ALIVE_MS;
  const match = /^(-?\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(String(keepAlive));
  if (!match) return DEFAULT_KEEP_ALIVE_MS;
  const ms = Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000);
  return ms < 0 ? FOR_EVER_MS : ms;
}
