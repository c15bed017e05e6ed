import { readdirSync, readFileSync } from 'node:fs';

// A variable that nobody sets is unset: to bwrap it means nothing, and it stands on its command line for all to see.
const FLAG = '--unsetenv';
const MARK = /^([A-Z_]+)_(\d+)_(\d+)$/;
const NAME = 'LOUPE_SERVER';

let ownStart: string | undefined;

/**
 * Arguments of bwrap that name this server.
 *
 * bwrap dies with its parent, but not in the milliseconds before it has asked the kernel for that: a server that is killed
 * just then leaves a half-made sandbox behind, which waits for ever or runs its command to the end. The next start
 * finds it by this mark.
 *
 * @param name what the mark begins with; a test has its own, since every start on a machine clears up
 */
export function serverMark(name: string = NAME): readonly [flag: string, mark: string] {
  ownStart ??= startedAt(process.pid);
  return [FLAG, `${name}_${process.pid}_${ownStart}`];
}

/**
 * Kills the sandboxes of servers that are gone, with everything in them.
 *
 * @returns how many processes were killed
 */
export function endLeftovers(name: string = NAME): number {
  let ended = 0;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const server = Number.isInteger(pid) ? serverOf(pid, name) : undefined;
    if (!server || startedAt(server.pid) === server.startedAt) continue;
    try {
      process.kill(pid, 'SIGKILL');
      ended++;
    } catch {
      // gone by itself, or another user's: that user's server looks after it
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

/** When a process began, in ticks since the machine did; `undefined` when there is none. Numbers are used again. */
function startedAt(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything; fields are counted after it (proc_pid_stat(5): 22).
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined; // ended in the meantime
  }
}
