import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;
/** Descriptors of a child are listed one by one; inheriting this many is not realistic. */
const HIGHEST = 4096;

type Stdio = 'ignore' | 'pipe' | number;

/** Computed once: descriptors that the server opens itself are closed on exec. */
let leftOpen: readonly number[] | undefined;

/**
 * Starts a program with the listed descriptors and no others.
 *
 * The server's parent may have left descriptors open for its children, and one of a folder would let a command escape its
 * sandbox through `/proc/self/fd`. Node closes the low ones up to the first gap, and bwrap passes on the rest; here they
 * are redirected to /dev/null.
 *
 * @throws {RangeError} if one is too high to be replaced
 */
export function spawnClosed(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'> & { stdio: readonly Stdio[] },
): ChildProcess {
  leftOpen ??= inheritableDescriptors();
  const left = leftOpen.filter((fd) => fd >= options.stdio.length);
  const highest = Math.max(options.stdio.length - 1, ...left);
  if (highest > HIGHEST) throw new RangeError(`The server was started with descriptor ${highest} open`);
  const nothing = openSync('/dev/null', 'r');
  try {
    const stdio: Stdio[] = [...options.stdio];
    while (stdio.length <= highest) stdio.push('ignore');
    for (const fd of left) stdio[fd] = nothing;
    return spawn(program, args, { ...options, stdio });
  } finally {
    closeSync(nothing);
  }
}

/** Descriptors above stderr without close-on-exec. */
function inheritableDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((fd) => {
      if (fd < 3) return false;
      try {
        const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
        return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
      } catch {
        return false; // the descriptor used for listing is already closed
      }
    });
}
