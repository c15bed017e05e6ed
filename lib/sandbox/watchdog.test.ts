import { expect, it } from 'vitest';
import { countTasks } from './watchdog.ts';

it.runIf(process.platform === 'linux')(
  'never takes the processes of the machine for those of a sandbox',
  () => {
    // Before bwrap has changed its root, its first process looks like any other.
    expect(countTasks(process.pid)).toBeUndefined();
    expect(countTasks(2 ** 30)).toBeUndefined();
  },
);
