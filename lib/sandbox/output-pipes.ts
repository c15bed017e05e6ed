import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environment } from './environment.ts';
import { inScratchPlace } from './scratch-place.ts';

// linux/fcntl.h, the same on x86_64 and arm64: a descriptor that neither reads nor writes
const O_PATH = 0o10000000;

const run = promisify(execFile);
const idle: number[] = [];

/** A kernel pipe for one command's output. */
export interface OutputPipe {
  reader: Socket;
  /** The child's descriptor; closed here once it has been passed on. */
  writerFd: number;
  /** Call when the command has ended: the pipe is reused, unless another process still holds its other end. */
  release: () => void;
}

/**
 * Opens a real pipe. Node's pipes are sockets, and sockets cannot be opened by name: `echo failed > /dev/stderr`, common
 * in scripts, would fail. Node has no call for pipes, so this creates a named pipe and unlinks it immediately; the
 * remaining descriptor is reopened for each command.
 */
export async function openOutputPipe(): Promise<OutputPipe> {
  const base = idle.pop() ?? (await makePipe());
  const path = `/proc/self/fd/${base}`;
  const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writerFd = openSync(path, constants.O_WRONLY);
  const reader = new Socket({ fd: readerFd, readable: true, writable: false });
  return {
    reader,
    writerFd,
    release: () => {
      if (reader.readableEnded && reader.closed) idle.push(base);
      else {
        reader.destroy();
        closeSync(base);
      }
    },
  };
}

async function makePipe(): Promise<number> {
  const folder = inScratchPlace((place) => mkdtempSync(join(place, 'loupe-pipe-')));
  try {
    const path = join(folder, 'output');
    // Writable by others: a command that runs as the workspace's owner needs this to open /dev/stderr.
    await run('/usr/bin/env', ['mkfifo', '-m', '622', path], { env: environment({ PATH: '/usr/bin:/bin' }) });
    return openSync(path, O_PATH);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
