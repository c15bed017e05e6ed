import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environment } from './environment.ts';

// linux/fcntl.h, the same on x86_64 and arm64: a descriptor that is neither reader nor writer
const O_PATH = 0o10000000;

const run = promisify(execFile);
const idle: number[] = [];

/** A kernel pipe for the output of one command. */
export interface OutputPipe {
  reader: Socket;
  /** Descriptor for the child; closed here as soon as it has been handed over. */
  writerFd: number;
  /** To be called when the command is gone: the pipe serves another one, unless somebody still holds its other end. */
  release: () => void;
}

/**
 * A real pipe. What Node itself calls a pipe is a socket, and a socket can't be opened by name: `echo failed > /dev/stderr`,
 * which many scripts do, would fail. Node has no call for pipes, so a named one is made and its name removed at
 * once; the descriptor that is left is opened anew for each command.
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
  const folder = await mkdtemp(join(tmpdir(), 'loupe-pipe-'));
  try {
    const path = join(folder, 'output');
    // Others may write: a command that runs as the workspace's owner opens /dev/stderr by that right.
    await run('/usr/bin/env', ['mkfifo', '-m', '622', path], { env: environment({ PATH: '/usr/bin:/bin' }) });
    return openSync(path, O_PATH);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
