import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { listen } from '../testing/listen.ts';
import { patientFetch } from './patient-fetch.ts';

const HOUR_MS = 60 * 60_000;

afterEach(() => vi.useRealTimers());

it('waits an hour for an answer, and another hour within it', async () => {
  // Sockets are real; only the clock runs faster.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = createServer();
  const port = await listen(server);
  try {
    const asked = once(server, 'request');
    const answer = patientFetch(new URL(`http://127.0.0.1:${port}`));
    answer.catch(() => undefined); // awaited below
    const [, response]: ServerResponse[] = await asked;
    if (!response) throw new TypeError('There is no response to write');
    vi.advanceTimersByTime(HOUR_MS);
    response.write('It took ');
    const body = (await answer).text();
    body.catch(() => undefined);
    vi.advanceTimersByTime(HOUR_MS);
    response.end('two hours.');
    expect(await body).toBe('It took two hours.');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
