import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { type OllamaHost, parseOllamaHost } from '../model/ollama-host.ts';
import { nearestName } from '../util/nearest-name.ts';
import { readShareSettings, type ShareSettings } from './share-settings.ts';

/** Settings from the environment. Everything else is set per run. */
export interface Environment {
  /** Port of the dashboard; 0 lets the system choose. */
  readonly port: number;
  /** Absolute path of the database, the token and the generated workspaces. */
  readonly dataDir: string;
  /** The operator token from LOUPE_TOKEN; otherwise one is generated and kept in the data directory. */
  readonly token: string | undefined;
  /** Whether to open the browser at startup. */
  readonly openBrowser: boolean;
  readonly ollamaHost: OllamaHost;
  /** Concurrent runs per Ollama server; the others are queued. */
  readonly concurrency: number;
  /** New runs are refused when the data directory's disk has less free space than this, in bytes. */
  readonly minFreeBytes: number;
  /**
   * A PostgreSQL database shared by several processes, instead of the SQLite file. Contains a password: never show it.
   */
  readonly databaseUrl: string | undefined;
  /** With PostgreSQL: how long a worker may be silent before another one takes its run over, in seconds. */
  readonly leaseSeconds: number;
  /** Commands run without a sandbox, each after a person has approved it. */
  readonly unconfined: boolean;
  /** Whether to allow models that Ollama forwards to another machine. */
  readonly allowRemoteModels: boolean;
  /** The collector for spans, if any: the only outgoing address besides the model server. */
  readonly otlpEndpoint: string | undefined;
  /** Whether spans include texts, redacted. */
  readonly otlpContent: boolean;
  /** The address on which shared runs are served. */
  readonly share: ShareSettings;
}

const SETTINGS = [
  'LOUPE_PORT',
  'LOUPE_DATA_DIR',
  'LOUPE_TOKEN',
  'LOUPE_OPEN',
  'LOUPE_CONCURRENCY',
  'LOUPE_MIN_FREE_MB',
  'LOUPE_DATABASE_URL',
  'LOUPE_LEASE_SECONDS',
  'LOUPE_ALLOW_REMOTE_OLLAMA',
  'LOUPE_ALLOW_REMOTE_MODELS',
  'LOUPE_UNCONFINED',
  'LOUPE_SHARE_BIND',
  'LOUPE_SHARE_URL',
  'LOUPE_SHARE_CLIENT_HEADER',
  'LOUPE_OTLP_ENDPOINT',
  'LOUPE_OTLP_CONTENT',
] as const;

type Setting = (typeof SETTINGS)[number];

/** Read elsewhere: by the terminal client, builds and tests. */
const FOR_OTHERS = [
  'LOUPE_URL',
  'LOUPE_DIST_DIR',
  'LOUPE_FAULT',
  'LOUPE_CHROMIUM',
  'LOUPE_GALLERY',
  'LOUPE_PROPERTY_RUNS',
] as const;

export const DEFAULT_PORT = 4120;
const DEFAULT_MIN_FREE_MB = 256;
const DEFAULT_LEASE_SECONDS = 30;

/** Settings from the environment that cannot be used. */
export class SettingsError extends AppError {
  /** A sentence for each setting. Without line breaks, which the console would escape, as they may come from a value. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super({
      code: 'bad_settings',
      message: `${SettingsError.heading} ${problems.join(' ')}`,
      hint: `The settings are ${SETTINGS.join(', ')} and OLLAMA_HOST.`,
    });
    this.name = 'SettingsError';
    this.problems = problems;
  }

  static readonly heading = 'Loupe cannot start with these settings:';
}

/**
 * Reads LOUPE_* and OLLAMA_HOST. Reports all problems together.
 *
 * @throws {SettingsError}
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const problems: string[] = [];
  const known: readonly string[] = [...SETTINGS, ...FOR_OTHERS];
  for (const name of Object.keys(env)) {
    if (!name.startsWith('LOUPE_') || known.includes(name)) continue;
    const nearest = nearestName(name, known);
    problems.push(`${name} is not a setting${nearest ? `; did you mean ${nearest}?` : '.'}`);
  }

  const number = (name: Setting, fallback: number, min: number, max: number): number => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    problems.push(`${name} is "${text}"; it must be a whole number from ${min} to ${max}.`);
    return fallback;
  };
  const flag = (name: Setting, fallback: boolean): boolean => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    if (text === '1' || text === '0') return text === '1';
    problems.push(`${name} is "${text}"; it must be 1 or 0.`);
    return fallback;
  };

  const port = number('LOUPE_PORT', DEFAULT_PORT, 0, 65_535);
  const settings = {
    port,
    // The port after the dashboard's; 0 if the dashboard's is 0 or there is no next port.
    share: readShareSettings(env, { defaultPort: port === 0 || port === 65_535 ? 0 : port + 1, problems }),
    dataDir: readDataDir(env, problems),
    token: readToken(env.LOUPE_TOKEN, problems),
    openBrowser: flag('LOUPE_OPEN', true),
    concurrency: number('LOUPE_CONCURRENCY', 1, 1, 64),
    minFreeBytes: number('LOUPE_MIN_FREE_MB', DEFAULT_MIN_FREE_MB, 0, 1_000_000) * 1024 * 1024,
    databaseUrl: readDatabaseUrl(env.LOUPE_DATABASE_URL, problems),
    leaseSeconds: number('LOUPE_LEASE_SECONDS', DEFAULT_LEASE_SECONDS, 3, 3600),
    unconfined: flag('LOUPE_UNCONFINED', false),
    allowRemoteModels: flag('LOUPE_ALLOW_REMOTE_MODELS', false),
    otlpEndpoint: readOtlpEndpoint(env.LOUPE_OTLP_ENDPOINT, problems),
    otlpContent: flag('LOUPE_OTLP_CONTENT', false),
  };
  const ollamaHost = readOllamaHost(env.OLLAMA_HOST, flag('LOUPE_ALLOW_REMOTE_OLLAMA', false), problems);
  if (problems.length > 0 || ollamaHost === undefined) {
    throw new SettingsError(problems.map((problem) => problem.trim()));
  }
  return { ...settings, ollamaHost };
}

/** The default data directory: the system's folder for application data. */
export function defaultDataDir(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'loupe');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'loupe');
  const base = env.XDG_DATA_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.local', 'share'), 'loupe');
}

function readDataDir(env: Readonly<Record<string, string | undefined>>, problems: string[]): string {
  const text = env.LOUPE_DATA_DIR;
  if (text === undefined || text === '') {
    const path = defaultDataDir(env);
    // With an empty HOME, it would be in the folder of the program.
    if (!isAbsolute(path))
      problems.push(`HOME is "${homedir()}"; it must be an absolute path. Or set LOUPE_DATA_DIR.`);
    return path;
  }
  if (!isAbsolute(text)) problems.push(`LOUPE_DATA_DIR is "${text}"; it must be an absolute path.`);
  return resolve(text);
}

/** The minimum length of a token: 22 base64 characters hold 128 random bits. */
const MIN_TOKEN_CHARS = 22;

function readToken(text: string | undefined, problems: string[]): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length < MIN_TOKEN_CHARS || text.length > 200 || !/^[\x21-\x7e]+$/.test(text)) {
    problems.push(
      `LOUPE_TOKEN (not shown) must have ${MIN_TOKEN_CHARS} to 200 printable characters without spaces.`,
    );
  }
  return text;
}

function readDatabaseUrl(text: string | undefined, problems: string[]): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const url = URL.parse(text.trim());
  const names = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:';
  // A slash in the password would make part of it the path, which is shown.
  if (url && names && /^\/[^/@]+$/.test(url.pathname) && !url.hash) return text.trim();
  problems.push(
    'LOUPE_DATABASE_URL (not shown) must look like postgres://user:password@host:port/database. ' +
      'Characters such as # / @ in the password are written as %23 %2F %40.',
  );
  return undefined;
}

function readOllamaHost(
  text: string | undefined,
  allowRemote: boolean,
  problems: string[],
): OllamaHost | undefined {
  try {
    return parseOllamaHost(text, { allowRemote });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const remote = error.code === 'ollama_host_remote' ? ' LOUPE_ALLOW_REMOTE_OLLAMA=1 allows it.' : '';
    problems.push(`${error.message} ${error.hint ?? ''}${remote}`);
    return undefined;
  }
}

function readOtlpEndpoint(text: string | undefined, problems: string[]): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const url = URL.parse(text.trim());
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href;
  problems.push(
    'LOUPE_OTLP_ENDPOINT (not shown) must be a full address without a password, such as http://127.0.0.1:4318/v1/traces.',
  );
  return undefined;
}
