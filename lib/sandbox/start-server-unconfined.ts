import { constants as osConstants } from 'node:os';
import { AppError } from '../errors/app-error.ts';
import { environment } from './environment.ts';
import { spawnClosed } from './inherited-descriptors.ts';
import { killGroup } from './kill-group.ts';
import type { ConfinedServer, ServerEnd, ServerProcess } from './sandbox.ts';

// The watcher reads from a pipe that only Loupe holds: if Loupe is killed, the pipe closes, and the watcher kills the
// whole group. It must not keep the server's streams open.
const WRAPPER = `(read -r _ <&3; kill -9 0) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-`;

/** How long the output of a server that has ended is read. */
const LAST_OUTPUT_MS = 1000;

/** Starts a server without a sandbox, in its own process group. Only its environment is limited. */
export async function startUnconfined(server: ConfinedServer): Promise<ServerProcess> {
  const child = spawnClosed('/bin/sh', ['-c', WRAPPER, 'sh', ...server.argv], {
    cwd: server.cwd ?? server.home,
    env: environment({
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      ...server.env,
      HOME: server.home,
    }),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) {
    throw new AppError({ code: 'sandbox_failed', message: 'The streams of the server cannot be used.' });
  }
  let killed = false;
  const kill = () => {
    killed = true;
    killGroup(child.pid);
  };
  stdin.on('error', () => undefined);
  const ended = new Promise<ServerEnd>((resolve) => {
    child.once('error', () => resolve({ end: 'exited', exitCode: 127 }));
    child.once('exit', (code, signal) => {
      // Also kills what the server left behind, including the watcher.
      killGroup(child.pid);
      const exitCode = code ?? (signal === null ? undefined : 128 + osConstants.signals[signal]);
      // A process in a separate session survives, and can keep the streams open indefinitely.
      const late = setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
      }, LAST_OUTPUT_MS);
      child.once('close', () => {
        clearTimeout(late);
        resolve(killed ? { end: 'stopped', exitCode: undefined } : { end: 'exited', exitCode });
      });
    });
  });
  return { stdin, stdout, stderr, ended, kill };
}
