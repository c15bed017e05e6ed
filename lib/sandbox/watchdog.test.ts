import { describe, expect, it } from 'vitest';
import { type CommandEnd, DEFAULT_LIMITS } from './sandbox.ts';
import { countTasks, watchCommand } from './watchdog.ts';

/** A PID that no process has. */
const NOBODY = 2 ** 30;

describe.runIf(process.platform === 'linux')('the watchdog of a command', () => {
  it('never mistakes the processes of the host for those of a sandbox', () => {
    // Before bwrap has changed its root, its init process looks like any other.
    expect(countTasks(process.pid)).toBeUndefined();
    expect(countTasks(NOBODY)).toBeUndefined();
  });

  it('keeps watching when the workspace is removed', async () => {
    let looks = 0;
    const end = await new Promise<CommandEnd>((resolve) => {
      watchCommand({
        initPid: NOBODY,
        workspace: '/no/such/folder',
        limits: DEFAULT_LIMITS,
        oomKills: () => (++looks > 2 ? 1 : 0),
        onBreach: resolve,
      });
    });
    expect(end).toBe('memory_limit');
    expect(looks).toBe(3);
  });
});
