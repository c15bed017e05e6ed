import { askProcess } from '../../util/ask-process.ts';
import { errorMessage } from '../../util/error-message.ts';
import { FetchError } from './fetch-error.ts';
import type { Fetched } from './fetch-listed.ts';
import { READ_TIMEOUT_MS } from './limits.ts';

/** HTML and the address that its links are relative to. */
export interface PageToRead {
  html: string;
  url: string;
}

/** What a page says. */
export interface PageText {
  title: string;
  text: string;
  /** Whether parts are missing, because the page has too many elements or nests them too deeply. */
  isCut: boolean;
}

/** How much of a page is searched for its charset, as in browsers. */
const CHARSET_BYTES = 1024;
/** Characters that do not occur in text files. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they tell binary data from text
const BINARY = /[\u0000-\u0008\u000e-\u001a]/;

/**
 * The text of a response: a page as prose, any other text unchanged.
 *
 * @throws {FetchError} if it is not text
 */
export async function textOf(
  { url, contentType, body, status }: Pick<Fetched, 'url' | 'contentType' | 'body' | 'status'>,
  signal: AbortSignal,
): Promise<{ type: string; title?: string; text: string; isCut: boolean }> {
  const type = mediaType(contentType);
  const isPage = type === 'text/html' || type === 'application/xhtml+xml';
  if (!isPage && type !== '' && !isTextType(type)) {
    throw new FetchError(`The answer is ${type}, which is not text.`, {
      detail: { url, status, type, bytes: body.length },
    });
  }
  const text = decoded(body, { contentType, isPage, isXml: /[/+]xml$/.test(type) });
  if (BINARY.test(text.slice(0, 4096))) {
    throw new FetchError('The answer is not text.', { detail: { url, status, type, bytes: body.length } });
  }
  if (!isPage) return { type, text, isCut: false };
  const page = await readPage({ html: text, url }, signal);
  return { type, ...(page.title === '' ? {} : { title: page.title }), text: page.text, isCut: page.isCut };
}

/** Turns a page into text in a separate process, because a page can be made to take any amount of time and memory. */
async function readPage(page: PageToRead, signal: AbortSignal): Promise<PageText> {
  const module = new URL('./page-process.ts', import.meta.url);
  const limits = { signal, maxMs: READ_TIMEOUT_MS };
  const read = await askProcess<PageText | { failure: string }>(module, page, limits).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      return { failure: errorMessage(error) };
    },
  );
  if (!read)
    throw new FetchError(`The page takes more than ${READ_TIMEOUT_MS / 1000} s to be turned into text.`);
  if ('failure' in read)
    throw new FetchError(`The page could not be turned into text: ${read.failure.slice(0, 300)}`);
  return read;
}

function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase().slice(0, 100);
}

function isTextType(type: string): boolean {
  return (
    type.startsWith('text/') ||
    /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(type) ||
    /^application\/(?:javascript|x-ndjson|jsonl|toml|x-yaml|x-sh)$/.test(type)
  );
}

/**
 * The text, decoded by its byte order mark, the header, or the charset that the page or XML declares, in this order;
 * otherwise as UTF-8.
 */
function decoded(
  body: Buffer,
  { contentType, isPage, isXml }: { contentType: string; isPage: boolean; isXml: boolean },
): string {
  const inHeader = /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
  const start = body.subarray(0, CHARSET_BYTES).toString('latin1');
  const inXml =
    isPage || isXml ? /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1] : undefined;
  const inPage = isPage ? /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1] : undefined;
  const outside = byteOrderMark(body) ?? inHeader;
  if (outside !== undefined) return decoderFor(outside).decode(body);
  const inside = decoderFor(inXml ?? inPage);
  // A declaration that is readable as ASCII cannot be UTF-16; browsers read such a page as UTF-8, too.
  return (inside.encoding.startsWith('utf-16') ? new TextDecoder() : inside).decode(body);
}

function byteOrderMark([first, second, third]: Buffer): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function decoderFor(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // A page can name any charset; nearly all pages are UTF-8.
    return new TextDecoder();
  }
}
