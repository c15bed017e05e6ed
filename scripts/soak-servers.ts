import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, type LoupeServer, startLoupe } from '../e2e/loupe-server.ts';
import { type PostgresServer, startPostgres } from '../lib/testing/postgres-server.ts';

/** Where a soak test stores its runs: one process with a file, or two processes with one database. */
export type SoakStore = 'sqlite' | 'postgres';

const LEASE_SECONDS = 3;

/** The processes of a soak test, each with fixed ports across restarts. */
export class SoakServers {
  readonly #start: (index: number) => Promise<LoupeServer>;
  readonly #sharePorts: readonly number[];
  readonly #servers: LoupeServer[] = [];
  readonly database: PostgresServer | undefined;
  #asked = 0;

  private constructor(
    start: (index: number) => Promise<LoupeServer>,
    sharePorts: readonly number[],
    database: PostgresServer | undefined,
  ) {
    this.#start = start;
    this.#sharePorts = sharePorts;
    this.database = database;
  }

  static async start(kept: SoakStore, root: string, ollamaUrl: string): Promise<SoakServers> {
    const database = kept === 'postgres' ? await startPostgres({ durable: true }) : undefined;
    const databaseUrl = database?.newDatabase();
    const count = database ? 2 : 1;
    const ports = await Promise.all(Array.from({ length: count * 2 }, () => freePort()));
    const sharePorts = ports.slice(count);
    const servers = new SoakServers(
      (index) =>
        startLoupe({
          ollamaUrl,
          dataDir: join(root, 'data'),
          port: ports[index],
          env: {
            LOUPE_CONCURRENCY: '4',
            LOUPE_MIN_FREE_MB: '0',
            LOUPE_SHARE_BIND: `127.0.0.1:${sharePorts[index]}`,
            ...(databaseUrl === undefined
              ? {}
              : { LOUPE_DATABASE_URL: databaseUrl, LOUPE_LEASE_SECONDS: String(LEASE_SECONDS) }),
          },
        }),
      sharePorts,
      database,
    );
    for (let index = 0; index < count; index++) servers.#servers.push(await servers.#start(index));
    return servers;
  }

  get count(): number {
    return this.#servers.length;
  }

  /** The next process in turn; it may be dead or frozen. */
  next(): LoupeServer {
    this.#asked += 1;
    const server = this.#servers[this.#asked % this.count];
    if (!server) throw new Error('no server');
    return server;
  }

  /** A page of shared runs, from the next process in turn. */
  shared(path: string): Promise<Response> {
    this.#asked += 1;
    return fetch(`http://127.0.0.1:${this.#sharePorts[this.#asked % this.count]}${path}`);
  }

  freeze(index: number): void {
    this.#servers[index]?.process.kill('SIGSTOP');
  }

  thaw(index: number): void {
    this.#servers[index]?.process.kill('SIGCONT');
  }

  /** Kills a process and restarts it later. An unavailable database delays the restart. */
  async kill(index: number, restartAfterMs: number): Promise<void> {
    await this.#servers[index]?.stop('SIGKILL');
    await delay(restartAfterMs);
    this.#servers[index] = await this.#start(index);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    await this.database?.[Symbol.asyncDispose]();
  }
}
