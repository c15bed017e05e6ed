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
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const DEFAULT_KEEP_ALIVE_MS = 5 * 60_000;

/** Bytes of cache for one token of context, so that a larger window shows as a larger model. */
const BYTES_PER_TOKEN = 64;

/** Which models are in memory, with which window, and until when: what `/api/ps` shows. */
export class Loader {
  readonly #loaded = new Map<string, Loaded>();
  readonly #loading = new Map<string, LoadRequest>();

  /** Loads unless the model is there with this window already (O14). Returns the milliseconds that it took. */
  async load(request: LoadRequest, wait: (ms: number) => Promise<void>): Promise<number> {
    const { name } = request.model;
    const before = this.#current(name);
    if (before?.numCtx !== request.numCtx) {
      this.#loaded.delete(name);
      this.#loading.set(name, request);
      try {
        await wait(request.loadMs); // throws when the client leaves: the load is given up (O10)
      } finally {
        this.#loading.delete(name);
      }
      this.#keep(request);
      return request.loadMs;
    }
    this.#keep(request);
    return 0;
  }

  /** A reply was given: the time until unloading starts anew; with `keep_alive: 0` it is over. */
  used(request: LoadRequest): void {
    // Another client may have had it loaded with another window in the meantime.
    const now = this.#current(request.model.name);
    if (now) this.#keep({ ...request, numCtx: now.numCtx });
  }

  unload(model: FakeModel): void {
    this.#loaded.delete(model.name);
  }

  /** The body of `/api/ps`: what is loaded, and what is being loaded. */
  running(): JsonObject[] {
    const loading = [...this.#loading.values()].map((request) => ({ ...request, expiresAt: Date.now() }));
    const loaded = [...this.#loaded.keys()].flatMap((name) => this.#current(name) ?? []);
    return [...loading, ...loaded].map(({ model, numCtx, expiresAt }) => {
      // A script that says it has no size takes no memory either.
      const size = model.size_bytes === 0 ? 0 : model.size_bytes + numCtx * BYTES_PER_TOKEN;
      return {
        name: fullName(model.name),
        model: fullName(model.name),
        size,
        digest: digestOf(model),
        expires_at: new Date(expiresAt).toISOString(),
        size_vram: Math.round(size * model.vram_share),
        ...(model.cuts_silently_at === undefined && { context_length: numCtx }),
      };
    });
  }

  #keep({ model, numCtx, keepAlive }: LoadRequest): void {
    const ms = keepAliveMs(keepAlive);
    this.#loaded.set(model.name, { model, numCtx, expiresAt: ms < 0 ? FAR_FUTURE : Date.now() + ms });
  }

  #current(name: string): Loaded | undefined {
    const entry = this.#loaded.get(name);
    if (entry && entry.expiresAt <= Date.now()) {
      this.#loaded.delete(name);
      return undefined;
    }
    return entry;
  }
}

const FAR_FUTURE = Date.UTC(2300, 0, 1);
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Seconds as a number, or a duration such as `5m`; negative means for ever. */
function keepAliveMs(keepAlive: string | number | undefined): number {
  if (keepAlive === undefined) return DEFAULT_KEEP_ALIVE_MS;
  if (typeof keepAlive === 'number') return keepAlive * 1000;
  const match = /^(-?\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(keepAlive);
  if (!match) return DEFAULT_KEEP_ALIVE_MS;
  return Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000);
}
