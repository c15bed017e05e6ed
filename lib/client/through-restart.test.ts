import { expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { ForNow } from './http.ts';
import { throughRestart } from './through-restart.ts';

const unreachable = new AppError({ code: 'unreachable', message: 'Loupe does not answer.' });
const starting = new ForNow({ code: 'starting', message: 'Loupe is starting.' });

it('retries while the server is down or starting', async () => {
  const failures = [unreachable, starting];
  const waits: number[] = [];
  const reply = await throughRestart(
    async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return 'running';
    },
    (waitMs) => waits.push(waitMs),
  );
  expect([reply, waits]).toEqual(['running', [250, 500]]);
});

it('passes on errors of the server', async () => {
  const gone = new AppError({ code: 'experiment_not_found', message: 'There is no experiment "e1".' });
  const waits: number[] = [];
  const asked = throughRestart(
    () => Promise.reject(gone),
    (waitMs) => waits.push(waitMs),
  );
  await expect(asked).rejects.toBe(gone);
  expect(waits).toEqual([]);
});
