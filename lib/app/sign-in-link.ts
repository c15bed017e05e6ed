import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ProvenServer } from '../handshake/proven-server.ts';
import { BASE64URL_32_BYTES } from '../util/byte-patterns.ts';

const linkReply = z.object({ url: z.url({ protocol: /^http$/ }) });

/**
 * Requests a sign-in link from the Loupe that holds the data directory, after it proved that it knows the token.
 *
 * @param url the URL announced by the lock's holder
 * @returns the link, or `undefined` if the server does not answer or is another Loupe
 */
export async function linkOfRunningServer(
  url: string,
  options: { dataDir: string; token: string | undefined },
): Promise<string | undefined> {
  try {
    const token = options.token ?? readFileSync(join(options.dataDir, 'token'), 'utf8').trim();
    const answer = await new ProvenServer({ url, token }).fetch('/api/session-link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(3000),
    });
    return answer.ok ? safeLink(linkReply.parse(await answer.json()).url, url) : undefined;
  } catch {
    return undefined; // not our server; the caller reports that
  }
}

/**
 * Rebuilds a link from the server's URL and a well-formed ticket, so that it is safe to print and open; `undefined` if
 * either is invalid.
 */
export function safeLink(link: string, server: string): string | undefined {
  const ticket = BASE64URL_32_BYTES.exec(URL.parse(link)?.searchParams.get('t') ?? '')?.[0];
  const url = URL.parse(server);
  return ticket !== undefined && url?.protocol === 'http:' ? `${url.origin}/?t=${ticket}` : undefined;
}

/** Whether any Loupe answers at this URL; recognized by its authentication header. */
export async function isLoupe(url: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/api/session', url), {
      redirect: 'error',
      signal: AbortSignal.timeout(3000),
    });
    return answer.headers.get('www-authenticate')?.includes('realm="Loupe"') ?? false;
  } catch {
    return false; // not an HTTP server
  }
}
