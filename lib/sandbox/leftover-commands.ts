import { readdirSync, readFileSync } from 'node:fs';

// Unsets a variable that is never set: no effect on bwrap, but visible on its command line.
const FLAG = '--unsetenv';
const MARK = /^([A-Z_]+)_(\d+)_(\d+)$/;
const NAME = 'LOUPE_SERVER';

let ownStart: string | undefined;

/**
 * bwrap arguments that identify this server.
 *
 * bwrap dies with its parent, but not in the milliseconds before it has asked the kernel for that: if the server is
 * killed just then, a partial sandbox remains, which hangs or runs its command to the end. The next start finds it by
 * this mark.
 *
 * @param name prefix of the mark; tests use their own, because every start on a machine cleans up
 */
export function serverMark(name: string = NAME): readonly [flag: string, mark: string] {
  ownStart ??= processStart(process.pid);
  return [FLAG, `${name}_${process.pid}_${ownStart}`];
}

/**
 * Kills the sandboxes of dead servers with all their processes.
 *
 * @returns the number of processes killed
 */
export function endLeftovers(name: string = NAME): number {
  let ended = 0;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const server = Number.isInteger(pid) ? serverOf(pid, name) : undefined;
    if (!server || processStart(server.pid) === server.startedAt) continue;
    try {
      process.kill(pid, 'SIGKILL');
      ended++;
    } catch {
      // already exited, or owned by another user, whose server cleans it up
    }
  }
  return ended;
}

function serverOf(pid: number, name: string): { pid: number; startedAt: string } | undefined {
  const args = readIfThere(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
  for (const [index, arg] of args.entries()) {
    const [, begin, server, started] = (args[index - 1] === FLAG && MARK.exec(arg)) || [];
    if (begin === name && started !== undefined) return { pid: Number(server), startedAt: started };
  }
  return undefined;
}

/** The start time of a process in clock ticks since boot, because PIDs are reused; `undefined` if it does not exist. */
export function processStart(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything; count fields after it (proc_pid_stat(5): 22).
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined; // exited meanwhile
  }
}
