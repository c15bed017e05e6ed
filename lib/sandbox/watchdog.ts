import { readdirSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { CommandEnd, CommandLimits } from './sandbox.ts';

const FIRST_LOOK_MS = 20;
const INTERVAL_MS = 100;
const PAGE_BYTES = 4096;
/** A command is killed if the machine has less free memory than this. */
const MIN_FREE_MEMORY_BYTES = 256 * 1024 * 1024;

/** Memory file systems of a command. */
const SCRATCH = ['/tmp', '/dev/shm'];

/**
 * Enforces limits that cannot be set per process: the number of processes in a sandbox (RLIMIT_NPROC does not apply to
 * root), their total memory, memory that belongs to no process, the number of temporary files, and free disk space.
 *
 * @param initPid the PID of the sandbox's init process on the host
 * @param intervalMs polling interval. Default: 100
 * @param onBreach called once, with the exceeded limit
 * @returns a function that stops watching
 */
export function watchCommand(options: {
  initPid: number;
  workspace: string;
  limits: CommandLimits;
  /** The number of OOM kills by the kernel; always 0 without a control group. */
  oomKills: () => number;
  intervalMs?: number;
  onBreach: (end: CommandEnd) => void;
}): () => void {
  const { initPid, workspace, limits, oomKills, intervalMs = INTERVAL_MS, onBreach } = options;
  const atStart = machineMemory();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const look = async () => {
    const breach =
      // The kernel kills only one process; processes waiting for it would run into the time limit.
      (oomKills() > 0 ? 'memory_limit' : undefined) ??
      tasksBreach(initPid, limits) ??
      memoryBreach(atStart, machineMemory(), limits) ??
      (await scratchBreach(initPid, limits)) ??
      (await diskBreach(workspace, limits));
    if (stopped) return;
    if (breach) onBreach(breach);
    else timer = setTimeout(look, intervalMs);
  };
  timer = setTimeout(look, FIRST_LOOK_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Threads and resident bytes of all processes in a sandbox; `undefined` if they are not visible, or not yet. */
export function countTasks(
  initPid: number,
  stopAt = Number.POSITIVE_INFINITY,
): { tasks: number; bytes: number } | undefined {
  // The sandbox's own /proc lists exactly its processes, whatever their parents. Until bwrap has changed the root, this
  // path is the host's /proc.
  const root = `/proc/${initPid}/root`;
  const proc = `${root}/proc`;
  let entries: string[];
  try {
    if (sameFolder(root, '/')) return undefined;
    entries = readdirSync(proc);
  } catch {
    return undefined; // the sandbox has ended, or its processes are not visible to us
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
  // bwrap's init process counts as one.
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
    return undefined; // exited after the listing
  }
  // The name in parentheses may contain anything; count fields after it (proc_pid_stat(5): 20 and 24).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { threads: Number(fields[17]), bytes: Number(fields[21]) * PAGE_BYTES };
}

/** The machine's memory in bytes. */
interface MachineMemory {
  available: number;
  /** Shared memory and unreclaimable kernel memory, which may belong to no process. */
  unowned: number;
}

/**
 * Shared memory segments and kernel memory may belong to no process. Without a control group to count them, growth of the
 * machine's total beyond a command's limit is attributed to the running command. Pure.
 */
function memoryBreach(
  before: MachineMemory,
  now: MachineMemory,
  limits: Pick<CommandLimits, 'totalMemoryBytes'>,
): CommandEnd | undefined {
  const scarce = now.available < MIN_FREE_MEMORY_BYTES;
  const taken = before.available - now.available > MIN_FREE_MEMORY_BYTES;
  const grown = now.unowned - before.unowned > limits.totalMemoryBytes;
  return (scarce && taken) || grown ? 'memory_limit' : undefined;
}

function machineMemory(): MachineMemory {
  const text = readFileSync('/proc/meminfo', 'latin1');
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return { available: bytes('MemAvailable'), unowned: bytes('Shmem') + bytes('SUnreclaim') };
}

/** bwrap can limit the size of a tmpfs, but not its number of files, each of which uses about 1 kB of kernel memory. */
async function scratchBreach(initPid: number, limits: CommandLimits): Promise<CommandEnd | undefined> {
  const root = `/proc/${initPid}/root`;
  for (const folder of SCRATCH) {
    try {
      // Until bwrap has changed the root, these are the host's folders.
      if (sameFolder(root, '/')) return undefined;
      const { files, ffree } = await statfs(`${root}${folder}`);
      if (files - ffree > limits.scratchFiles) return 'scratch_limit';
    } catch {
      return undefined; // the sandbox has ended, or does not exist yet
    }
  }
  return undefined;
}

async function diskBreach(workspace: string, limits: CommandLimits): Promise<CommandEnd | undefined> {
  // The workspace may be removed when the command ends, during this check.
  const disk = await statfs(workspace).catch(() => undefined);
  return disk && disk.bavail * disk.bsize < limits.minFreeDiskBytes ? 'disk_full' : undefined;
}
