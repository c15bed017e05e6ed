import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const linkReply = z.object({ url: z.string() });

/**
 * Asks a Loupe that is already running for a fresh sign-in link, with the token of the data directory.
 *
 * @returns the link, or `undefined` when nobody answers there or it is another Loupe
 */
export async function linkOfRunningServer(
  url: string,
  options: { dataDir: string; token: string | undefined },
): Promise<string | undefined> {
  try {
    const token = options.token ?? readFileSync(join(options.dataDir, 'token'), 'utf8').trim();
    const answer = await fetch(new URL('/api/session-link', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
      redirect: 'error',
      signal: AbortSignal.timeout(3000),
    });
    return answer.ok ? linkReply.parse(await answer.json()).url : undefined;
  } catch {
    return undefined; // whoever is there, it is not ours: the caller says what to do
  }
}

/** Whether a Loupe answers at this address, ours or not: it asks for a token in its own words. */
export async function isLoupe(url: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/api/session', url), {
      redirect: 'error',
      signal: AbortSignal.timeout(3000),
    });
    return answer.headers.get('www-authenticate')?.includes('realm="Loupe"') ?? false;
  } catch {
    return false; // nobody who speaks HTTP
  }
}
