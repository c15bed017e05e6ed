import { addAbortSignal, type Duplex, pipeline, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FetchError } from './fetch-error.ts';

// Truncated compressed data is read as far as possible, as in browsers: servers name an encoding even for
// empty bodies.
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };

type Decode = (body: Readable) => AsyncIterable<unknown>;

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: through(() => createGunzip(LENIENT)),
  'x-gzip': through(() => createGunzip(LENIENT)),
  deflate: inflated,
  br: through(() => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })),
};

function through(decoder: () => Duplex): Decode {
  // An error of either stream ends the other, and the reading.
  return (body) => pipeline(body, decoder(), () => undefined);
}

/**
 * Reads `deflate`, which is the zlib format (RFC 9110, 8.4.1.2), with or without zlib's header and checksum: some
 * servers omit them, and browsers and curl read both. The first byte distinguishes them: in zlib, its lower half is the
 * method 8 (RFC 1950), and no compressor starts a block with that.
 */
async function* inflated(body: Readable): AsyncIterable<unknown> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const isZlib = Buffer.isBuffer(first.value) && ((first.value[0] ?? 0) & 0x0f) === 8;
  const all = async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  yield* pipeline(all, isZlib ? createInflate(LENIENT) : createInflateRaw(LENIENT), () => undefined);
}

/**
 * Reads a body up to a number of bytes, counted after decompression, so that a small body cannot expand to a large one.
 *
 * @param options.encoding the header `content-encoding`
 * @throws {FetchError} for an unknown encoding; errors of the stream
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
  const source = decoder ? decoder(body) : body;
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
