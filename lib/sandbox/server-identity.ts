import { readFileSync, readlinkSync } from 'node:fs';
import { isAlive } from '../util/is-alive.ts';
import { processStart } from './leftover-commands.ts';

/** A server by its PID namespace, its PID and its start time; 0 where they are not known. */
interface ServerIdentity {
  space: string;
  pid: string;
  start: string;
}

/** This server, as names of its files contain it. */
export function ownIdentity(): ServerIdentity {
  const { pid } = process;
  return { space: namespace(), pid: String(pid), start: processStart(pid) ?? '0' };
}

/** Whether a server of this machine is gone. `false` if it would not be seen if it were running. */
export function isGone({ space, pid, start }: ServerIdentity): boolean {
  if (space !== namespace()) return false;
  if (start !== '0') return processStart(Number(pid)) !== start;
  return !isAlive(Number(pid));
}

/** Identifies this machine since it was started, because PIDs of other machines mean nothing here; Linux only. */
export function machineBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().replaceAll('-', '');
  } catch {
    return undefined;
  }
}

/** Processes of another namespace cannot be seen, and its PIDs mean other processes here. */
function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0'; // not on Linux
  }
}
