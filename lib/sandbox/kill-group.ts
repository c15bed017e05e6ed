import { errno } from '../util/errno.ts';

/** Kills a process group that may have ended already. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // EPERM: macOS returns it for a group with only zombies.
    const code = errno(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
