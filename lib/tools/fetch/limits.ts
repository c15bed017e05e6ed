/** Time limit of a whole call: name resolution, connections, redirects and bodies. */
export const FETCH_TIMEOUT_MS = 30_000;
/** Max size of a body after decompression. The rest is not read. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;
export const MAX_REDIRECTS = 5;
export const MAX_URL_CHARS = 4000;
/** Time limit for turning HTML into text. */
export const READ_TIMEOUT_MS = 5000;
