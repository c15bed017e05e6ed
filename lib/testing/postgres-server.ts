import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Where PostgreSQL's programs are installed: in a folder per version on Debian, and on PATH elsewhere. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root: then it runs as this user, which every system has. */
const NOBODY = 65_534;
const STARTS_WITHIN_MS = 30_000;

/** A separate PostgreSQL server for tests, in a temporary folder and on the loopback interface. */
export interface PostgresServer extends AsyncDisposable {
  /** Creates a database and returns its URL: empty, or a copy of one that has no connections. */
  newDatabase(copyOf?: string): string;
  /** Drops all databases that `newDatabase` created except `kept`, a URL, and closes their connections. */
  dropDatabases(kept: string): void;
  /** Runs SQL in a database and returns what `psql` prints. */
  sql(url: string, text: string): string;
  /** Stops immediately, like a crash, and starts again on the same data and port. */
  crash(): Promise<void>;
  restart(): Promise<void>;
}

/** The folder of `initdb` and `postgres`; `undefined` if PostgreSQL is not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const debian = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...debian, ...onPath].find((folder) => existsSync(join(folder, 'initdb')));
}

/**
 * @param options.durable waits for the disk at each commit, like a production server. Default: false
 * @param options.databasesIn an empty folder that holds the databases instead of the server's own; its journal stays
 *   there
 * @param options.env in addition, for the processes of the server
 */
export async function startPostgres({
  durable = false,
  databasesIn,
  env: more = {},
}: {
  durable?: boolean;
  databasesIn?: string;
  env?: Readonly<Record<string, string>>;
} = {}): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'loupe-postgres-'));
  const asRoot = process.getuid?.() === 0;
  const user = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (asRoot) chownSync(folder, NOBODY, NOBODY);
  if (asRoot && databasesIn !== undefined) chownSync(databasesIn, NOBODY, NOBODY);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const env = { NODE_ENV: 'test' as const, PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: folder };
  const run = (name: string, args: readonly string[]) =>
    execFileSync(join(bin, name), args, { ...user, env, cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  run('initdb', ['-D', data, '-U', 'loupe', '--auth=trust', '--no-instructions', '-E', 'UTF8', '--no-sync']);
  const port = await freePort();

  const start = async () => {
    const args = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
    // Killing the server loses nothing either way; only a crash of the machine would.
    if (!durable) args.push('-c', 'fsync=off');
    const child = spawn(join(bin, 'postgres'), args, {
      ...user,
      env: { ...env, ...more },
      cwd: folder,
      stdio: 'ignore',
    });
    const ready = () =>
      spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0;
    for (const deadline = Date.now() + STARTS_WITHIN_MS; !ready(); ) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error('PostgreSQL did not start');
      await delay(50);
    }
    return child;
  };
  let child = await start();
  const stop = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const urlOf = (name: string) => `postgres://loupe:not-asked-for@127.0.0.1:${port}/${name}`;
  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const sql = (url: string, text: string) =>
    run('psql', ['-X', '-A', '-t', '-q', '-d', url, '-c', text]).trimEnd();
  if (databasesIn !== undefined) {
    sql(urlOf('postgres'), `create tablespace elsewhere location '${databasesIn}'`);
  }
  let count = 0;
  let databases: string[] = [];
  return {
    newDatabase(copyOf) {
      count += 1;
      const name = `test_${count}`;
      const template = copyOf === undefined ? '' : ` template ${nameOf(copyOf)}`;
      const where = databasesIn === undefined ? '' : ' tablespace elsewhere';
      sql(urlOf('postgres'), `create database ${name}${template}${where}`);
      databases.push(name);
      return urlOf(name);
    },
    dropDatabases(kept) {
      for (const name of databases.filter((name) => name !== nameOf(kept))) {
        sql(urlOf('postgres'), `drop database ${name} with (force)`);
      }
      databases = [nameOf(kept)];
    },
    sql,
    // SIGQUIT: every process of the server quits at once, and the next start recovers from the journal.
    crash: () => stop('SIGQUIT'),
    async restart() {
      await stop('SIGQUIT');
      child = await start();
    },
    async [Symbol.asyncDispose]() {
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
