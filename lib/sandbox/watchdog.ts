import { readdirSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { CommandEnd, CommandLimits } from './sandbox.ts';

const FIRST_LOOK_MS = 20;
const INTERVAL_MS = 100;
const PAGE_BYTES = 4096;
/** Free memory of the machine below which a command gives way. */
const MIN_FREE_MEMORY_BYTES = 256 * 1024 * 1024;

/**
 * Looks after what per-process limits can't: the processes of a sandbox counted together (RLIMIT_NPROC does not bind
 * root), their memory together, memory that belongs to no process, and the free space of the disk.
 *
 * @param initPid the sandbox's first process, as this side sees it
 * @param onBreach called once, with the limit that was passed
 * @returns a function that ends the watch
 */
export function watchCommand(options: {
  initPid: number;
  workspace: string;
  limits: CommandLimits;
  onBreach: (end: CommandEnd) => void;
}): () => void {
  const { initPid, workspace, limits, onBreach } = options;
  const freeMemoryAtStart = freeMemoryBytes();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const look = async () => {
    const breach =
      tasksBreach(initPid, limits) ??
      memoryBreach(freeMemoryAtStart) ??
      (await diskBreach(workspace, limits));
    if (stopped) return;
    if (breach) onBreach(breach);
    else timer = setTimeout(look, INTERVAL_MS);
  };
  timer = setTimeout(look, FIRST_LOOK_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Threads and resident bytes of all processes in a sandbox; `undefined` when they can't be seen, or not yet. */
export function countTasks(
  initPid: number,
  stopAt = Number.POSITIVE_INFINITY,
): { tasks: number; bytes: number } | undefined {
  // The sandbox's own /proc lists exactly its processes, whoever their parents are by now. Until bwrap has changed the
  // root, the same path is the /proc of the whole machine.
  const root = `/proc/${initPid}/root`;
  const proc = `${root}/proc`;
  let entries: string[];
  try {
    if (sameFolder(root, '/')) return undefined;
    entries = readdirSync(proc);
  } catch {
    return undefined; // the sandbox is gone, or belongs to a user whose processes we may not see
  }
  let tasks = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readStat(`${proc}/${entry}/stat`);
    tasks += stat?.threads ?? 0;
    bytes += stat?.bytes ?? 0;
    if (tasks > stopAt) break;
  }
  return { tasks, bytes };
}

function sameFolder(one: string, other: string): boolean {
  const [a, b] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
  return a.dev === b.dev && a.ino === b.ino;
}

function tasksBreach(initPid: number, limits: CommandLimits): CommandEnd | undefined {
  // bwrap's own first process is one of the tasks.
  const seen = countTasks(initPid, limits.processes + 1);
  if (!seen) return undefined;
  if (seen.tasks > limits.processes + 1) return 'process_limit';
  return seen.bytes > limits.totalMemoryBytes ? 'memory_limit' : undefined;
}

function readStat(path: string): { threads: number; bytes: number } | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch {
    return undefined; // ended between the listing and the look
  }
  // The name in parentheses may hold anything; fields are counted after it (proc_pid_stat(5): 20 and 24).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { threads: Number(fields[17]), bytes: Number(fields[21]) * PAGE_BYTES };
}

/** Shared memory and memory files need not be part of any process; the machine's free memory shows them. */
function memoryBreach(atStart: number | undefined): CommandEnd | undefined {
  const now = freeMemoryBytes();
  if (atStart === undefined || now === undefined) return undefined;
  return now < MIN_FREE_MEMORY_BYTES && atStart - now > MIN_FREE_MEMORY_BYTES ? 'memory_limit' : undefined;
}

function freeMemoryBytes(): number | undefined {
  const line = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'latin1'));
  return line ? Number(line[1]) * 1024 : undefined;
}

async function diskBreach(workspace: string, limits: CommandLimits): Promise<CommandEnd | undefined> {
  const { bavail, bsize } = await statfs(workspace);
  return bavail * bsize < limits.minFreeDiskBytes ? 'disk_full' : undefined;
}
