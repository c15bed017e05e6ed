#!/usr/bin/env node
// `npx loupe …`: runs from a terminal. Plain JavaScript up to the import of the program, so that it works with any Node
// that npm runs on: where that one is too old, the Node that comes with the packages takes over.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { commandLineFile } from '../scripts/build-state.mjs';

const root = join(dirname(realpathSync(fileURLToPath(import.meta.url))), '..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 19)) {
  const { main } = await import(pathToFileURL(commandLineFile()).href);
  process.exitCode = await main(process.argv.slice(2), process, root);
} else {
  const shipped = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  if (!existsSync(shipped)) {
    console.error(
      `loupe: Node 22.19 or newer is needed, this is ${process.versions.node}. Run "npm start" once: it brings its own.`,
    );
    process.exit(1);
  }
  const isWindows = process.platform === 'win32';
  const child = spawn(shipped, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    shell: isWindows,
    // Otherwise a terminal sends Ctrl-C to both, and what is passed on would count as a second one.
    detached: !isWindows,
  });
  const passed = isWindows ? ['SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of passed) process.on(signal, () => child.kill(signal));
  if (isWindows) {
    // A console reaches both.
    process.on('SIGINT', () => undefined);
  } else {
    // Ctrl-Z. The system ignores SIGTSTP for a session without a shell.
    process.on('SIGTSTP', () => {
      child.kill('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
    process.on('SIGCONT', () => child.kill('SIGCONT'));
  }
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
