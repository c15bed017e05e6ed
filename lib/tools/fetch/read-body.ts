import { addAbortSignal, type Duplex, pipeline, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { FetchError } from './fetch-error.ts';

// Compressed data without an end is read as far as it goes, as browsers do: servers name an encoding for empty bodies, too.
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(LENIENT),
  'x-gzip': () => createGunzip(LENIENT),
  deflate: () => createInflate(LENIENT),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * Reads a body up to a number of bytes, counted after decompression, so that a small body cannot become a large one.
 *
 * @param options.encoding the header `content-encoding`
 * @throws {FetchError} for an encoding that is not known; errors of the stream
 */
export async function readBody(
  body: Readable,
  { encoding, maxBytes, signal }: { encoding: string; maxBytes: number; signal: AbortSignal },
): Promise<{ body: Buffer; isCut: boolean }> {
  const name = encoding.trim().toLowerCase();
  const isPlain = name === '' || name === 'identity';
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (!isPlain && !decoder) {
    body.destroy();
    throw new FetchError(`The answer is compressed in a way that cannot be read: "${name.slice(0, 60)}".`);
  }
  addAbortSignal(signal, body);
  // An error of either stream ends the other, and reading it below.
  const source = decoder ? pipeline(body, decoder(), () => undefined) : body;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      if (!Buffer.isBuffer(chunk)) continue;
      const room = maxBytes - bytes;
      chunks.push(chunk.subarray(0, room));
      bytes += Math.min(chunk.length, room);
      if (chunk.length > room) return { body: Buffer.concat(chunks), isCut: true };
    }
    return { body: Buffer.concat(chunks), isCut: false };
  } finally {
    body.destroy();
  }
}
