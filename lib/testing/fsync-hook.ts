import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Counts and delays all calls of a process that wait for the disk. */
const SOURCE = `
  #define _GNU_SOURCE
  #include <dlfcn.h>
  #include <fcntl.h>
  #include <stdint.h>
  #include <stdlib.h>
  #include <sys/mman.h>
  #include <time.h>
  #include <unistd.h>
  static volatile uint64_t *shared;
  static int (*real_fsync)(int), (*real_fdatasync)(int);
  __attribute__((constructor)) static void begin(void) {
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    const char *path = getenv("FSYNC_HOOK");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(0, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) shared = mapped;
  }
  static void hook(void) {
    if (!shared) return;
    __atomic_add_fetch(&shared[0], 1, __ATOMIC_RELAXED);
    struct timespec delay = { shared[1] / 1000, shared[1] % 1000 * 1000000 };
    if (shared[1]) nanosleep(&delay, 0);
  }
  int fsync(int file) { hook(); return real_fsync(file); }
  int fdatasync(int file) { hook(); return real_fdatasync(file); }
`;

/** How often processes wait for the disk, and how long the disk takes. */
export interface FsyncHook {
  /** The environment of the processes; those that they start inherit it. */
  readonly env: Readonly<Record<string, string>>;
  /** Calls of fsync and fdatasync so far, by all of these processes. */
  count(): number;
  /** From now on each call takes this long, including in running processes. */
  delay(ms: number): void;
}

/**
 * Compiles the hook into an existing folder.
 *
 * @returns `undefined` where a process cannot be hooked: without Linux or a C compiler
 */
export function createFsyncHook(folder: string): FsyncHook | undefined {
  if (process.platform !== 'linux') return undefined;
  const library = join(folder, 'fsync-hook.so');
  const source = join(folder, 'fsync-hook.c');
  writeFileSync(source, SOURCE);
  const cc = spawnSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  if (cc.status !== 0) return undefined;
  // Two 64-bit numbers in the machine's byte order, shared with every process: the count, and the delay in milliseconds.
  const shared = join(folder, 'fsync-hook.data');
  writeFileSync(shared, Buffer.alloc(16));
  // Also for a server that runs as another user, such as PostgreSQL.
  for (const [path, mode] of [
    [folder, 0o755],
    [shared, 0o666],
  ] as const) {
    chmodSync(path, mode);
  }
  return {
    env: { LD_PRELOAD: library, FSYNC_HOOK: shared },
    count: () => Number(new BigUint64Array(new Uint8Array(readFileSync(shared)).buffer)[0]),
    delay(ms) {
      const file = openSync(shared, 'r+');
      try {
        writeSync(file, new Uint8Array(BigUint64Array.of(BigInt(ms)).buffer), 0, 8, 8);
      } finally {
        closeSync(file);
      }
    },
  };
}
