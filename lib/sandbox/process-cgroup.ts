import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandLimits } from './sandbox.ts';

const ROOT = '/sys/fs/cgroup';
const NAME = 'loupe-command-';
/** The name of a group begins with the process that made it. */
const OWNED = /^loupe-command-(\d+)-/;
/** bwrap itself and the first process of the sandbox. */
const OWN_PROCESSES = 2;

/** A control group around one command. */
export interface ProcessCgroup {
  /** Arguments to put before the command: it enters the group before it does anything else. */
  prefix: readonly string[];
  /** Removes the group once its processes are gone. */
  release: () => Promise<void>;
}

/**
 * Where a server that runs as root can make control groups with a limit on processes: the kernel's other limit,
 * RLIMIT_NPROC, does not bind root. `undefined` where it can't, as in most containers, and for ordinary users.
 *
 * Groups that a killed server left behind are removed.
 */
export function findCgroupParent(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/proc/self/cgroup')) return undefined;
  return candidates(readFileSync('/proc/self/cgroup', 'utf8')).find(canLimitProcesses);
}

/** Own group first; in version 2 the nearest one above it whose children have the limit. */
function candidates(membership: string): string[] {
  const paths: string[] = [];
  for (const line of membership.trim().split('\n')) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers.split(',').includes('pids')) paths.push(join(ROOT, 'pids', path));
    if (controllers === '') {
      for (let above = path; ; above = dirname(above)) {
        paths.push(join(ROOT, above));
        if (above === dirname(above)) break;
      }
    }
  }
  return paths;
}

function canLimitProcesses(parent: string): boolean {
  if (!existsSync(join(parent, 'cgroup.procs'))) return false;
  for (const name of readdirSync(parent)) {
    const owner = OWNED.exec(name)?.[1];
    // An empty group of a server that lives may be one that its command is just about to enter.
    if (owner !== undefined && !isAlive(Number(owner))) removeIfUnused(join(parent, name));
  }
  const trial = join(parent, newName());
  try {
    mkdirSync(trial);
  } catch {
    return false; // read-only, or not ours: another limit has to do
  }
  try {
    writeFileSync(join(trial, 'pids.max'), '10');
    return true;
  } catch {
    return false; // made, but without that limit
  } finally {
    rmdirSync(trial);
  }
}

function newName(): string {
  return `${NAME}${process.pid}-${randomBytes(8).toString('hex')}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function removeIfUnused(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // a command of another server runs in it
  }
}

/** Makes a group for one command. */
export function makeProcessCgroup(parent: string, limits: CommandLimits): ProcessCgroup {
  const group = join(parent, newName());
  mkdirSync(group);
  writeFileSync(join(group, 'pids.max'), String(limits.processes + OWN_PROCESSES));
  const memory = join(group, 'memory.max');
  if (existsSync(memory)) writeFileSync(memory, String(limits.totalMemoryBytes));
  // A thread that moves itself need not wait until every processor has seen the move, as a process that is moved must:
  // that takes the kernel 8 ms and more. Version 1 lets a thread go where it likes; the shell has only this one. In
  // version 2 a thread can't leave its domain, so there the price is paid.
  const threads = join(group, 'tasks');
  const entry = existsSync(threads) ? threads : join(group, 'cgroup.procs');
  return {
    prefix: [
      '/bin/sh',
      '-c',
      'echo 0 > "$1" || exit 1; shift; unset PWD OLDPWD SHLVL; exec "$@"',
      'sh',
      entry,
    ],
    release: async () => {
      // The last process may still be on its way out. What is left all the same, the next start removes.
      for (let waitMs = 1; waitMs < 1000; waitMs *= 2) {
        try {
          return await rmdir(group);
        } catch {
          await sleep(waitMs);
        }
      }
    },
  };
}
