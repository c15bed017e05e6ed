import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../util/is-alive.ts';
import { environment } from './environment.ts';
import type { CommandLimits } from './sandbox.ts';

const ROOT = '/sys/fs/cgroup';
const NAME = 'loupe-command-';
/** The group name contains the ID of its process. */
const OWNED = /^loupe-command-(\d+)-/;
/** bwrap itself and the sandbox's init process. */
const OWN_PROCESSES = 2;

/** The limit files of each controller, in cgroup versions 2 and 1 (kernel: cgroup-v2, memory). */
const LIMIT_FILES = {
  pids: ['pids.max'],
  memory: ['memory.max', 'memory.limit_in_bytes'],
} as const;
type Controller = keyof typeof LIMIT_FILES;

/** Parent folders for command groups by controller; one folder may serve both. */
export type CgroupParents = Readonly<Partial<Record<Controller, string>>>;

/** A control group for one command. */
export interface ProcessCgroup {
  /** Arguments that make the command enter the group before anything else. */
  prefix: readonly string[];
  /** The number of processes that the kernel killed because the group was out of memory. */
  oomKills: () => number;
  /** Removes the group once its processes have ended. */
  release: () => Promise<void>;
}

/**
 * Finds where this server can create control groups with a process limit, and with a memory limit, which includes shared
 * memory and kernel memory. Root can do so on most systems; an ordinary user needs a delegated group, as systemd provides
 * for user services and applications. Empty if it cannot, as in most containers.
 *
 * Also removes the groups of servers that were killed.
 */
export function findCgroupParents(): CgroupParents {
  if (!existsSync('/proc/self/cgroup')) return {};
  const membership = readFileSync('/proc/self/cgroup', 'utf8');
  const find = (controller: Controller) =>
    candidates(membership, controller).find((parent) => canLimit(parent, controller));
  return { pids: find('pids'), memory: find('memory') };
}

/** Our own group first, then its ancestors: in version 2 a limit needs a parent without processes. */
function candidates(membership: string, controller: Controller): string[] {
  return membership
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (controllers.split(',').includes(controller)) return withAncestors(join(ROOT, controller), path);
      return controllers === '' ? withAncestors(ROOT, path) : [];
    });
}

function withAncestors(root: string, path: string): string[] {
  const above = dirname(path);
  return [join(root, path), ...(above === path ? [] : withAncestors(root, above))];
}

function canLimit(parent: string, controller: Controller): boolean {
  if (!existsSync(join(parent, 'cgroup.procs'))) return false;
  for (const name of readdirSync(parent)) {
    const owner = OWNED.exec(name)?.[1];
    // An empty group of a live server may be one that its command is about to enter.
    if (owner !== undefined && !isAlive(Number(owner))) removeIfUnused(join(parent, name));
  }
  const trial = join(parent, newName());
  try {
    mkdirSync(trial);
  } catch {
    return false; // read-only or not ours: other limits must suffice
  }
  try {
    if (!setLimit(trial, controller, controller === 'pids' ? 10 : 64 * 1024 * 1024)) return false;
    // Creating a group is not enough: a process must also be allowed to move into it from ours.
    execFileSync('/bin/sh', ['-c', 'echo 0 > "$1"', 'sh', entryOf(trial)], {
      env: environment({}),
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  } finally {
    removeIfUnused(trial);
  }
}

/** Returns whether the group supports this limit. */
function setLimit(group: string, controller: Controller, value: number): boolean {
  const file = LIMIT_FILES[controller].find((name) => existsSync(join(group, name)));
  if (file === undefined) return false;
  writeFileSync(join(group, file), String(value));
  return true;
}

/**
 * The file for entering a group. A thread that moves itself avoids the synchronization of all CPUs that moving a
 * process requires, which takes 8 ms or more. Version 1 allows this, and the shell has only one thread. In version 2 a
 * thread cannot leave its domain, so the cost is unavoidable.
 */
function entryOf(group: string): string {
  const threads = join(group, 'tasks');
  return existsSync(threads) ? threads : join(group, 'cgroup.procs');
}

function newName(): string {
  return `${NAME}${process.pid}-${randomBytes(8).toString('hex')}`;
}

function removeIfUnused(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // in use by a command of another server
  }
}

/** Creates a group for one command; `undefined` if there is no parent for one. */
export function makeProcessCgroup(parents: CgroupParents, limits: CommandLimits): ProcessCgroup | undefined {
  const folders = [...new Set([parents.pids, parents.memory].filter((parent) => parent !== undefined))];
  if (folders.length === 0) return undefined;
  const groups = folders.map((parent) => {
    const group = join(parent, newName());
    mkdirSync(group);
    if (parent === parents.pids) setLimit(group, 'pids', limits.processes + OWN_PROCESSES);
    if (parent === parents.memory) limitMemory(group, limits.totalMemoryBytes);
    return group;
  });
  const enter =
    'while [ "$1" != -- ]; do echo 0 > "$1" || exit 1; shift; done; shift; unset PWD OLDPWD SHLVL; exec "$@"';
  return {
    prefix: ['/bin/sh', '-c', enter, 'sh', ...groups.map(entryOf), '--'],
    oomKills: () => groups.reduce((sum, group) => sum + oomKillsIn(group), 0),
    release: async () => {
      await Promise.all(groups.map(removeSoon));
    },
  };
}

function limitMemory(group: string, bytes: number): void {
  setLimit(group, 'memory', bytes);
  // Swapped memory would not count. Not every kernel accounts for swap.
  for (const [file, value] of [
    ['memory.swap.max', 0],
    ['memory.memsw.limit_in_bytes', bytes],
  ] as const) {
    if (existsSync(join(group, file))) writeFileSync(join(group, file), String(value));
  }
}

function oomKillsIn(group: string): number {
  const file = ['memory.events', 'memory.oom_control'].find((name) => existsSync(join(group, name)));
  if (file === undefined) return 0;
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(group, file), 'utf8'))?.[1] ?? 0);
}

/** The last process may still be exiting. A group that remains is removed at the next start. */
async function removeSoon(group: string): Promise<void> {
  for (let waitMs = 1; waitMs < 1000; waitMs *= 2) {
    try {
      return await rmdir(group);
    } catch {
      await sleep(waitMs);
    }
  }
}
