import { errorMessage } from '../util/error-message.ts';
import { MAX_OBJECT_FIELDS, sizeProblem } from '../util/field-counter.ts';
import { isShallow } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import { ModelError } from './model-error.ts';
import { BODY_EXCERPT } from './ollama-error.ts';
import type { Body } from './ollama-http.ts';

/** Objects nested deeper than this are refused: parts of them are written as JSON in errors and in the log. */
const MAX_DEPTH = 200;

/** Max size of a streamed body before a call is given up, in uncompressed bytes. */
export interface StreamLimits {
  /** One line. */
  maxLineBytes: number;
  /** All lines, which are not kept. */
  maxStreamBytes: number;
}

/** Reads a whole body as UTF-8. Stops at the limit with a `bad_response`, so a 1 GB body costs only the limit. */
export async function readText(body: Body, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await body((piece) => {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw tooLarge('reply', maxBytes);
    pieces.push(piece);
    return true;
  });
  return Buffer.concat(pieces).toString('utf8');
}

/** The first bytes of an error body as text, however long it is. */
export async function readExcerpt(body: Body, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await body((piece) => {
    pieces.push(piece);
    bytes += piece.byteLength;
    return bytes < maxBytes;
  });
  return Buffer.concat(pieces).toString('utf8', 0, maxBytes);
}

/**
 * Reads the non-empty lines of a body, each at most `maxLineBytes` long, `maxStreamBytes` in all, until its end or until
 * `take` returns `false`.
 *
 * @throws whatever `take` throws
 */
export async function readLines(
  body: Body,
  limits: StreamLimits,
  take: (line: string) => boolean,
): Promise<void> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let totalBytes = 0;
  let isWanted = true;

  const keep = (piece: Uint8Array) => {
    pendingBytes += piece.byteLength;
    if (pendingBytes > limits.maxLineBytes) throw tooLarge('line', limits.maxLineBytes);
    pending.push(piece);
  };
  const endLine = () => {
    const line = Buffer.concat(pending).toString('utf8').trim();
    pending = [];
    pendingBytes = 0;
    if (line !== '') isWanted = take(line);
  };

  await body((piece) => {
    totalBytes += piece.byteLength;
    if (totalBytes > limits.maxStreamBytes) throw tooLarge('reply', limits.maxStreamBytes);
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      keep(piece.subarray(start, end));
      endLine();
      if (!isWanted) return false;
      start = end + 1;
    }
    if (start < piece.byteLength) keep(piece.subarray(start));
    return true;
  });
  if (isWanted) endLine();
}

/**
 * Parses a JSON object sent by Ollama (T6).
 *
 * @throws {ModelError} `bad_response`, `Ollama response parse error: …` with the start of the text
 */
export function parseReplyObject(text: string): Record<string, unknown> {
  // Before parsing, which would take seconds for hundreds of thousands. Each field takes at least 5 characters.
  const tooMany = text.length > 5 * MAX_OBJECT_FIELDS ? sizeProblem(Buffer.from(text)) : undefined;
  if (tooMany !== undefined) throw parseError(tooMany, text);
  let value: Record<string, unknown> | null;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw parseError(errorMessage(cause), text, cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw parseError('not an object', text);
  // Each level takes two brackets, so short lines need no check.
  if (text.length > 2 * MAX_DEPTH && !isShallow(value, MAX_DEPTH))
    throw parseError(`nested deeper than ${MAX_DEPTH} levels`, text);
  return value;
}

/** The error for a status 200 whose body is not a valid Ollama response (T6). */
export function parseError(why: string, text: string, cause?: unknown): ModelError {
  const html = /^\s*<(!doctype|html)/i.test(text);
  return new ModelError({
    kind: 'bad_response',
    message: `Ollama response parse error: ${shortText(why, 200)}. It began: ${shortText(text, BODY_EXCERPT - 250)}`,
    hint: html
      ? 'A web page answered. Does OLLAMA_HOST point to Ollama itself?'
      : 'Does OLLAMA_HOST point to Ollama itself?',
    cause,
  });
}

function formatSize(bytes: number): string {
  const megabytes = bytes / 1024 / 1024;
  return megabytes >= 1 ? `${Math.round(megabytes * 10) / 10} MB` : `${bytes} bytes`;
}

/** The error for what exceeds a limit on its size. */
export function tooLarge(what: 'line' | 'reply', maxBytes: number): ModelError {
  return new ModelError({
    kind: 'bad_response',
    message: `Ollama sent a ${what} of more than ${formatSize(maxBytes)}. It was cut off.`,
    hint: 'The model may be writing without end. Lower the reply limit.',
    transient: false, // a retry would return the same flood
  });
}
