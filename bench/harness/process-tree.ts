import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// The resources used by a process and its children, as counted by Linux; `undefined` on other systems.

/** Linux reports CPU time to programs in hundredths of a second (USER_HZ). */
const MS_PER_TICK = 10;

function treeOf(pid: number): number[] {
  const pids = [pid];
  for (const parent of pids) {
    for (const thread of readdirSync(`/proc/${parent}/task`)) {
      const children = readFileSync(`/proc/${parent}/task/${thread}/children`, 'utf8');
      pids.push(...children.split(' ').filter(Boolean).map(Number));
    }
  }
  return pids;
}

function sum(pid: number, read: (pid: number) => number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return treeOf(pid).reduce((total, each) => total + read(each), 0);
}

/** User and system CPU time in milliseconds. */
export function cpuMs(pid: number): number | undefined {
  return sum(pid, (each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  });
}

/** Resident memory in megabytes: now, or at its highest since `resetPeak`. */
export function memoryMb(pid: number, which: 'now' | 'peak'): number | undefined {
  const name = which === 'now' ? 'VmRSS' : 'VmHWM';
  return sum(pid, (each) => {
    const status = readFileSync(`/proc/${each}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  });
}

/** Resets the peak of resident memory. */
export function resetPeak(pid: number): void {
  if (process.platform !== 'linux') return;
  for (const each of treeOf(pid)) writeFileSync(`/proc/${each}/clear_refs`, '5');
}
