import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this user can mount a file system in a separate namespace. */
export const canMountDisks =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

/** A real file system of a few megabytes, which only processes that are started `within` see. */
export interface SmallDisk {
  /** The folder that it is mounted on, for processes within. */
  path: string;
  /** The prefix of such a process's command. */
  within: readonly string[];
  /** The same folder as this process reaches it. */
  outside: string;
  freeBytes(): number;
  /** Writes a file until not one byte more fits. */
  fill(): void;
  /** Deletes what `fill` wrote. */
  empty(): void;
  dispose(): Promise<void>;
}

export async function mountSmallDisk({ megabytes }: { megabytes: number }): Promise<SmallDisk> {
  const path = mkdtempSync(join(tmpdir(), 'loupe-disk-'));
  chmodSync(path, 0o755);
  const mount = `mount -t tmpfs -o size=${megabytes}m none "$0" && echo mounted && exec sleep infinity`;
  const holder = spawn('unshare', ['-Urm', 'sh', '-c', mount, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const outside = `/proc/${holder.pid}/root${path}`;
  const filler = join(outside, 'filler');
  return {
    path,
    outside,
    within: ['nsenter', '--target', String(holder.pid), '--user', '--mount', '--preserve-credentials'],
    freeBytes() {
      const { bavail, bsize } = statfsSync(outside);
      return bavail * bsize;
    },
    fill() {
      for (const size of [1024 * 1024, 4096, 1]) {
        const piece = Buffer.alloc(size);
        while (wasWritten(filler, piece));
      }
    },
    empty: () => rmSync(filler),
    async dispose() {
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
      rmSync(path, { recursive: true });
    },
  };
}

function wasWritten(file: string, piece: Buffer): boolean {
  try {
    appendFileSync(file, piece);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}
