import type { ServerResponse } from 'node:http';
import { pipeline, type Writable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { Encoding } from './accepted-encoding.ts';

/** Fast enough for a body that is made for one request; both leave about a third of a script. */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 4;

/**
 * Where to write a body so that the client gets it compressed. It is held back until there is enough to compress, so this is
 * not for event streams. Closing either end closes the other.
 *
 * @param encoding the `content-encoding` that the response was sent with; `undefined` for a plain body
 */
export function compressedBody(response: ServerResponse, encoding: Encoding | undefined): Writable {
  if (!encoding) return response;
  const body =
    encoding === 'gzip'
      ? createGzip({ level: GZIP_LEVEL })
      : createBrotliCompress({
          params: {
            [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
            [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          },
        });
  pipeline(body, response, () => {
    // A client that left: the body is destroyed, which its writer notices.
  });
  return body;
}
