import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { Found } from '../../lib/api/search.ts';
import { createFsyncHook, type FsyncHook } from '../../lib/testing/fsync-hook.ts';
import { CASES, callsOf, FILE_BYTES, LOADS } from './loads.ts';
import type { RunPlan } from './timed-runs.ts';

// Loupe as `npm start` starts it, for benchmarks of whole runs. Needs a build of the dashboard.

const HOST = '127.0.0.1';

/** The folders and hooks that all measured servers share. */
export class ServerRoom implements Disposable {
  /** Missing where processes cannot be hooked: without Linux or a C compiler. */
  readonly fsyncs: FsyncHook | undefined;
  readonly #root = mkdtempSync(join(tmpdir(), 'loupe-bench-'));
  // Outside the root, which only this user can open: PostgreSQL may run as another user.
  readonly #hooks = mkdtempSync(join(tmpdir(), 'loupe-bench-hook-'));
  readonly #workspace = join(this.#root, 'workspace');
  #count = 0;
  #emptyBytes: number | undefined;

  constructor() {
    this.fsyncs = createFsyncHook(this.#hooks);
    this.#writeFiles();
  }

  start(ollamaUrl: string, env: Readonly<Record<string, string>> = {}): Promise<LoupeServer> {
    const dataDir = join(this.#root, `data-${++this.#count}`);
    return startLoupe({
      ollamaUrl,
      dataDir,
      env: { LOUPE_CONCURRENCY: '64', LOUPE_MIN_FREE_MB: '0', ...this.fsyncs?.env, ...env },
    });
  }

  /** The size of a data directory without runs, after a start and a stop. */
  async emptyBytes(ollamaUrl: string): Promise<number> {
    if (this.#emptyBytes === undefined) {
      const server = await this.start(ollamaUrl);
      await settleAndStop(server);
      this.#emptyBytes = bytesIn(server.dataDir);
      await server.dispose();
    }
    return this.#emptyBytes;
  }

  /** The data with which a plan starts runs on these servers; settings are fields of `POST /api/runs`. */
  runsOf(servers: readonly LoupeServer[], settings: object = {}): NonNullable<RunPlan['loupe']> {
    return {
      urls: servers.map(({ port }) => `http://${HOST}:${port}`),
      token: servers[0]?.token ?? '',
      request: { max_iterations: 100, stall_guard: false, workspace: this.#workspace, ...settings },
    };
  }

  [Symbol.dispose](): void {
    for (const folder of [this.#root, this.#hooks]) rmSync(folder, { recursive: true, force: true });
  }

  /** Every file that a load reads. */
  #writeFiles(): void {
    for (const load of Object.values(LOADS)) {
      for (let iteration = 0; iteration < CASES.long.iterations; iteration += 1) {
        for (const { name, arguments: args } of callsOf(load, iteration)) {
          if (name !== 'read_file' || args.path === undefined) continue;
          const file = join(this.#workspace, args.path);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, `${'x'.repeat(FILE_BYTES - 1)}\n`);
        }
      }
    }
  }
}

/** Waits until everything stored is indexed, then stops the server, so that nothing is left to write. */
export async function settleAndStop(server: LoupeServer): Promise<void> {
  for (;;) {
    const found: Found = await (await server.request('/api/search?q=nothing')).json();
    if (found.behind === 0) break;
    await delay(50);
  }
  await server.stop();
}

/** The bytes of all files below a folder. */
export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
