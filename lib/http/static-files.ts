import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { errno } from '../util/errno.ts';
import { acceptedEncoding, type Encoding } from './accepted-encoding.ts';

/** The file types to compress; fonts and images already are compressed. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};

interface StaticFile {
  path: string;
  type: string;
  etag: string;
}

/**
 * Serves the build's scripts and style sheets compressed to a third of their size, which matters over a network. Each
 * is compressed on its first request and kept in memory; everything else is left to Next.
 */
export class StaticFiles {
  readonly #files: ReadonlyMap<string, StaticFile>;
  readonly #compressed = new Map<string, Promise<Buffer>>();

  /** @param folder the `static` folder of the build. Only files that exist now are served. */
  constructor(folder: string) {
    this.#files = new Map(listFiles(folder));
  }

  /**
   * Answers a GET or HEAD request for one of the files.
   *
   * @returns whether it did; `false` if the client accepts no compression
   */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const [address = ''] = (request.url ?? '').split('?', 1);
    const file = this.#files.get(address);
    if (!file) return false;
    response.setHeader('vary', 'accept-encoding');
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (!encoding) return false;
    const body = await this.#read(file, encoding);
    if (!body) return false;
    // Their names contain a hash of their content.
    response.setHeader('cache-control', 'public, max-age=31536000, immutable');
    response.setHeader('etag', file.etag);
    if (isCurrent(request.headers['if-none-match'], file.etag)) {
      response.writeHead(304).end();
      return true;
    }
    response.writeHead(200, {
      'content-type': file.type,
      'content-encoding': encoding,
      'content-length': body.byteLength,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  }

  /** @returns `undefined` if the file no longer exists because the dashboard was rebuilt */
  async #read(file: StaticFile, encoding: Encoding): Promise<Buffer | undefined> {
    const key = `${encoding} ${file.path}`;
    const reading = this.#compressed.get(key) ?? compressed(file.path, encoding);
    this.#compressed.set(key, reading);
    try {
      return await reading;
    } catch (error) {
      this.#compressed.delete(key);
      if (errno(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

/** Whether the client has the file, by its `If-None-Match`; `*` is any version. */
function isCurrent(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim()));
}

function* listFiles(folder: string): Iterable<[address: string, file: StaticFile]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[/\.\w+$/.exec(entry.name)?.[0] ?? ''];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = statSync(path);
    const address = path.slice(folder.length).split(sep).join('/');
    // Weak, because it is the same for each encoding.
    const etag = `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`;
    yield [`/_next/static${address}`, { path, type, etag }];
  }
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

async function compressed(path: string, encoding: Encoding): Promise<Buffer> {
  const content = await readFile(path);
  if (encoding === 'gzip') return toGzip(content, { level: 9 });
  return toBrotli(content, {
    params: {
      // 9% larger than the best compression in a thirtieth of the time; the first page of a new server waits
      // for it.
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength,
    },
  });
}
