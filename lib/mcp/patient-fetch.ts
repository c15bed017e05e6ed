import { Agent, fetch, type RequestInit as UndiciInit } from 'undici';

/** Node's own `fetch` gives up after five minutes without a byte. Its time limits cannot be set without this package. */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/**
 * `fetch` that waits for an answer as long as its caller does. A call may be allowed more than five minutes
 * (`timeout_seconds`), and a person may take days to answer what a server asks during a call.
 *
 * @throws {TypeError} like `fetch`, with the same causes
 */
export async function patientFetch(address: URL, init: RequestInit = {}): Promise<Response> {
  // Only the types of the two implementations differ.
  const response: unknown = await fetch(address, { ...(init as UndiciInit), dispatcher });
  return response as Response;
}
