import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serversRunningFrom } from './running-servers.mjs';

let root: string;
const children: ReturnType<typeof spawn>[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-clone-')));
  mkdirSync(join(root, 'scripts'));
  for (const name of readdirSync(import.meta.dirname).filter((each) => each.endsWith('.mjs')))
    cpSync(join(import.meta.dirname, name), join(root, 'scripts', name));
  writeFileSync(join(root, 'scripts', 'start.mjs'), 'console.log("up"); setInterval(() => {}, 1000);');
  writeFileSync(join(root, 'package-lock.json'), '{}');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

async function startServer() {
  const child = spawn(process.execPath, ['--no-warnings', join(root, 'scripts', 'start.mjs')]);
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

/** The program that `npm start` runs before it starts the server. */
function prepareStart() {
  return spawnSync(process.execPath, [join(root, 'scripts', 'ensure.mjs'), '--omit-dev', '--build'], {
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: '' },
  });
}

it('finds only the servers of the given folder', async () => {
  expect(serversRunningFrom(root)).toEqual([]);
  const server = await startServer();
  expect(serversRunningFrom(root)).toEqual([server.pid]);
  expect(serversRunningFrom(join(root, 'scripts'))).toEqual([]);
});

it('npm start installs nothing under a server that runs from the same folder', async () => {
  expect(prepareStart()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Run this through npm'),
  });
  const server = await startServer();
  expect(prepareStart()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`Loupe is running from this folder (process ${server.pid}). Stop it`),
  });
});
