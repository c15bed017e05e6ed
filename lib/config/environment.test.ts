import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { defaultDataDir, readEnvironment, SettingsError } from './environment.ts';
import { operatorToken } from './operator-token.ts';

it('has a default for every setting', () => {
  expect(readEnvironment({ HOME: '/home/ada', PATH: '/bin' })).toMatchObject({
    port: 4120,
    share: { host: '127.0.0.1', port: 4121, url: undefined },
    dataDir: join(homedir(), '.local', 'share', 'loupe'),
    token: undefined,
    openBrowser: true,
    concurrency: 1,
    minFreeBytes: 256 * 1024 * 1024,
    allowRemoteModels: false,
    ollamaHost: { url: 'http://127.0.0.1:11434' },
  });
});

it('refuses a home folder that would put the data into the program folder', () => {
  vi.stubEnv('HOME', '');
  expect(() => readEnvironment({})).toThrow(
    'HOME is ""; it must be an absolute path. Or set LOUPE_DATA_DIR.',
  );
  expect(readEnvironment({ LOUPE_DATA_DIR: '/data' }).dataDir).toBe('/data');
  vi.unstubAllEnvs();
});

it('accepts a PostgreSQL database, and never shows an invalid URL', () => {
  const url = 'postgres://loupe:se%40cret@db.example:5433/loupe?sslmode=verify-full';
  expect(readEnvironment({ LOUPE_DATABASE_URL: url, LOUPE_LEASE_SECONDS: '10' })).toMatchObject({
    databaseUrl: url,
    leaseSeconds: 10,
  });
  expect(readEnvironment({ LOUPE_DATABASE_URL: '' })).toMatchObject({
    databaseUrl: undefined,
    leaseSeconds: 30,
  });
  expect(
    readEnvironment({ LOUPE_DATABASE_URL: 'postgresql:///loupe?host=/run/postgresql' }).databaseUrl,
  ).toBeDefined();
  const wrong = [
    ...[
      'mysql://loupe:cret@host/loupe',
      'postgres://loupe:cret@host',
      'postgres://loupe:cr#cret@host/loupe',
      'cret',
    ],
    ...['postgres://loupe:/cret@host:5432/loupe', 'host=localhost password=cret'],
  ];
  for (const text of wrong) {
    let message = '';
    try {
      readEnvironment({ LOUPE_DATABASE_URL: text });
    } catch (error) {
      message = String(error);
    }
    expect(message, text).toContain('LOUPE_DATABASE_URL (not shown)');
    expect(message).not.toContain('cret');
  }
});

it('reads the given settings [T7]', () => {
  const token = 'a-token-of-the-operator';
  expect(
    readEnvironment({
      LOUPE_PORT: '0',
      LOUPE_DATA_DIR: '/srv/loupe',
      LOUPE_TOKEN: token,
      LOUPE_OPEN: '0',
      LOUPE_CONCURRENCY: '3',
      OLLAMA_HOST: '127.0.0.1:11500',
      LOUPE_ALLOW_REMOTE_MODELS: '1',
    }),
  ).toMatchObject({
    allowRemoteModels: true,
    port: 0,
    dataDir: '/srv/loupe',
    token,
    openBrowser: false,
    concurrency: 3,
    ollamaHost: { url: 'http://127.0.0.1:11500' },
  });
});

it('reports all invalid settings at once, and never shows a token', () => {
  const wrong = {
    LOUPE_PROT: '4120',
    LOUPE_PORT: 'http',
    LOUPE_DATA_DIR: 'data',
    LOUPE_TOKEN: 'too short',
    LOUPE_OPEN: 'no',
    LOUPE_CONCURRENCY: '0',
    OLLAMA_HOST: 'http://10.0.0.8:11434',
  };
  let message = '';
  try {
    readEnvironment(wrong);
  } catch (error) {
    message = String(error);
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as SettingsError).problems).toHaveLength(Object.keys(wrong).length);
  }
  expect(message).toContain('LOUPE_PROT is not a setting; did you mean LOUPE_PORT?');
  for (const name of Object.keys(wrong)) expect(message).toContain(name);
  expect(message).not.toContain('too short');
  expect(message).not.toContain('\n');
  expect(message).toContain('LOUPE_OPEN is "no"; it must be 1 or 0. LOUPE_CONCURRENCY is "0";');
  expect(() =>
    readEnvironment({ OLLAMA_HOST: 'http://10.0.0.8', LOUPE_ALLOW_REMOTE_OLLAMA: '1' }),
  ).not.toThrow();
});

it('uses the data directory of the system', () => {
  expect(defaultDataDir({ XDG_DATA_HOME: '/data' }, 'linux')).toBe('/data/loupe');
  expect(defaultDataDir({ XDG_DATA_HOME: 'relative' }, 'linux')).toBe(join(homedir(), '.local/share/loupe'));
  expect(defaultDataDir({}, 'darwin')).toBe(join(homedir(), 'Library/Application Support/loupe'));
});

it('creates the operator token once, readable only by its owner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-token-'));
  try {
    const token = operatorToken(folder, undefined);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((statSync(join(folder, 'token')).mode & 0o777).toString(8)).toBe('600');
    chmodSync(join(folder, 'token'), 0o644);
    expect(operatorToken(folder, undefined)).toBe(token);
    expect(operatorToken(folder, 'given-from-outside')).toBe('given-from-outside');
    expect((statSync(join(folder, 'token')).mode & 0o777).toString(8)).toBe('600');
    expect(readFileSync(join(folder, 'token'), 'utf8')).toBe(`${token}\n`);
    writeFileSync(join(folder, 'token'), 'garbage');
    expect(() => operatorToken(folder, undefined)).toThrow(/does not hold an operator token/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('refuses a token that it can neither read nor write, and leaves what is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-token-'));
  const path = join(folder, 'token');
  try {
    // Reading finds nothing, and writing finds something: as when another process creates the token in between.
    symlinkSync(join(folder, 'elsewhere'), path);
    expect(() => operatorToken(folder, undefined)).toThrow(
      expect.objectContaining({ code: 'token_unreadable', message: expect.stringContaining('EEXIST') }),
    );
    expect(readdirSync(folder)).toEqual(['token']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
