import { AppError } from '../../errors/app-error.ts';
import { isLoopbackHost } from '../../model/ollama-host.ts';

const TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 1024 * 1024;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Whether a sign-in may use an address named by a server: https, or for a server on this machine also an address on
 * this machine. Pure.
 */
export function mayUseAddress(address: URL, server: URL): boolean {
  if (address.username !== '' || address.password !== '') return false;
  if (address.protocol === 'https:') return true;
  return address.protocol === 'http:' && isLoopbackHost(address.hostname) && isLoopbackHost(server.hostname);
}

/** The message about an address that `mayUseAddress` refuses. Pure. */
export function refusedAddress({ protocol, host, username, password }: URL): string {
  const where = `It names ${protocol}//${host}`;
  return username === '' && password === ''
    ? `${where}, which is not encrypted.`
    : `${where} with a name or a password in the address.`;
}

/**
 * A `fetch` for the requests of a sign-in. Their addresses come from a server, so only those that `mayUseAddress`
 * accepts are used, redirects are not followed, and responses are limited.
 *
 * @param options.server the address of the MCP server
 * @param options.onRefused called with a refused address; the library then tries others
 */
export function oauthFetch({ server, onRefused }: { server: URL; onRefused(why: string): void }): Fetch {
  return async (asked, init) => {
    const address = new URL(asked);
    if (!mayUseAddress(address, server)) {
      const why = refusedAddress(address);
      onRefused(why);
      throw new AppError({ code: 'mcp_other_address', message: why });
    }
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const response = await fetch(address, { ...init, signal, redirect: 'manual' });
    const { status, statusText, headers } = response;
    const body = await readBody(response);
    // A response with such a status must not have a body.
    return new Response(body.length === 0 ? null : body, { status, statusText, headers });
  };
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new AppError({
        code: 'mcp_bad_answer',
        message: `A reply has more than ${MAX_BODY_BYTES / 1024 / 1024} MB.`,
      });
    }
    parts.push(part);
  }
  return Uint8Array.from(Buffer.concat(parts));
}
