import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { errno } from '../util/errno.ts';
import { STATUS_FD } from './bubblewrap-args.ts';

/** Makes the kernel's OOM killer prefer a command over the server and the model. */
const OOM_SCORE = '600';
/** Gives the server and the model priority. */
const NICE = 10;

/** Kills a process; one that is gone is fine. */
export function signalIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

/** bwrap reports one JSON object per line: the PID of init first, the exit code last. */
export class StatusReader {
  initPid: number | undefined;
  exitCode: number | undefined;
  onInit: ((pid: number) => void) | undefined;
  #text = '';

  push(chunk: Buffer): void {
    this.#text += chunk.toString('utf8');
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      const status: { 'child-pid'?: number; 'exit-code'?: number } = JSON.parse(line);
      if (status['exit-code'] !== undefined) this.exitCode = status['exit-code'];
      if (status['child-pid'] !== undefined) {
        this.initPid = status['child-pid'];
        this.onInit?.(this.initPid);
      }
    }
  }
}

/** The stream of bwrap's status reports. */
export function statusStream(child: ChildProcess): Readable {
  const stream = child.stdio[STATUS_FD];
  if (!stream || !('read' in stream)) throw new TypeError('The status of bwrap cannot be read');
  return stream;
}

/** Lowers the priority of a process. Children inherit it, so it is set before bwrap starts any, and again for init. */
export function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, NICE);
    writeFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE);
  } catch (error) {
    // The process has exited, or a container forbids it; the limits hold regardless.
    if (!isErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ESRCH', 'ERR_SYSTEM_ERROR')) throw error;
  }
}

function isErrno(error: unknown, ...codes: string[]): boolean {
  return codes.includes(errno(error) ?? '');
}
