import { createHash } from 'node:crypto';
import { z } from 'zod';
import { runAnnotations } from '../../api/annotate-run.ts';
import type { RunAnnotations } from '../../api/run-annotations.ts';
import { AppError } from '../../errors/app-error.ts';
import { RunFold } from '../../events/fold-run.ts';
import { imageRef } from '../../events/image.ts';
import { IMAGE_LIMITS } from '../../events/limits.ts';
import { EVENT_TYPES, type RunEvent, runEvent } from '../../events/registry.ts';
import { emptyRunState, type RunState } from '../../events/run-state.ts';
import type { EventRow } from '../../store/event-row.ts';
import type { StoredImage } from '../../store/image-store.ts';
import { toEventRow } from '../../store/import-run.ts';
import { readImageHeader } from '../../util/image-header.ts';
import { formatCount } from '../../util/numbers.ts';
import { describeFieldProblems, IN_WORDS } from '../../util/schema-problems.ts';

/** The version of the file format. Adding a field keeps the version; readers refuse unknown versions. */
const VERSION = 1;
/** The version of files with images, which have their own lines. */
const IMAGES_VERSION = 2;
/** Longer lines and files are refused, because they are read into memory. UTF-16 units; the server limits bytes. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;
export const MAX_RUN_FILE_BYTES = 128 * 1024 * 1024;
const MAX_EVENTS = 200_000;
/** Loupe's own logs are a few levels deep; a model's arguments add some. */
const MAX_DEPTH = 200;
/** The latest time that `Date` can represent. */
const MAX_AT = 8.64e15;

/** The extra data of a bug bundle: versions, the model, settings. Redacted like the log. */
export const bundleAbout = z.object({
  loupe: z.string(),
  node: z.string(),
  platform: z.string(),
  ollama: z.string().optional(),
  model: z.record(z.string(), z.json()).optional(),
  settings: z.record(z.string(), z.json()),
  sandbox: z.json().optional(),
});
export type BundleAbout = z.infer<typeof bundleAbout>;

/** A person's annotations of the run. Pins and archiving belong to the local list, so they are not exported. */
const fileAnnotations = runAnnotations.omit({ pinned: true, archived: true });
type FileAnnotations = z.infer<typeof fileAnnotations>;

/** The header fields of a run file besides the run's ID. */
interface HeaderFacts {
  about?: BundleAbout;
  annotations?: RunAnnotations | undefined;
}

const header = z.object({
  format: z.enum(['loupe-run', 'loupe-bundle']),
  version: z.int().positive(),
  run_id: z.string().min(1).max(64),
  about: bundleAbout.optional(),
  annotations: fileAnnotations.optional(),
});
type Header = z.infer<typeof header>;

/** The header line of a run file or a bug bundle (docs/run-file.md). */
export function runFileHeader(
  runId: string,
  { about, annotations }: HeaderFacts = {},
  version: number = VERSION,
): Header {
  const { pinned, archived, ...noted } = annotations ?? {};
  return {
    format: about ? 'loupe-bundle' : 'loupe-run',
    version,
    run_id: runId,
    ...(about ? { about } : {}),
    ...(Object.keys(noted).length > 0 ? { annotations: fileAnnotations.parse(noted) } : {}),
  };
}

/** A line with an image of the run, after its events. */
const imageLine = z.object({
  image: z.object({
    hash: imageRef.shape.hash,
    type: imageRef.shape.type,
    data: z.base64().max(4 * Math.ceil(IMAGE_LIMITS.max_kept_bytes / 3)),
  }),
});

/** Prepends the header line to the pages of a log, and appends its images. */
export async function* runFile(
  runId: string,
  pages: AsyncIterable<readonly RunEvent[]>,
  facts?: HeaderFacts,
  images?: AsyncIterable<StoredImage>,
): AsyncGenerator<readonly unknown[]> {
  yield [runFileHeader(runId, facts, images ? IMAGES_VERSION : VERSION)];
  yield* pages;
  if (!images) return;
  for await (const { hash, type, data } of images) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
    yield [{ image: { hash, type, data: bytes } } satisfies z.infer<typeof imageLine>];
  }
}

/** A run read from a file, fully validated. */
export interface ReadRun {
  /** Its events as stored: 1, 2, 3 … without gaps, all of this run. */
  rows: EventRow[];
  state: RunState;
  annotations: FileAnnotations | undefined;
  /** Its images that are in the file. */
  images: StoredImage[];
}

/**
 * Reads a run file: a log with its header, a bug bundle, or the bare log of `/log`. The file is untrusted: each line is
 * checked before the next is read, and nothing is kept if one is invalid.
 *
 * @param lines without line breaks; empty ones are skipped
 * @throws {AppError} `bad_run_file` with the number of the line and what to do
 */
export async function readRunFile(lines: AsyncIterable<string>): Promise<ReadRun> {
  let number = 0;
  let head: Header | undefined;
  let fold: RunFold | undefined;
  const rows: EventRow[] = [];
  const images = new Map<string, StoredImage>();
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const value = readLine(line, number);
    if (rows.length === 0 && head === undefined && isHeader(value)) {
      head = readHeader(value, number);
      continue;
    }
    if (fold && isImage(value)) {
      const image = readImageLine(value, fold.state, number);
      images.set(image.hash, image);
      continue;
    }
    if (images.size > 0) throw refused(`line ${number} has an event after an image.`);
    if (rows.length >= MAX_EVENTS) throw refused(`it has more than ${MAX_EVENTS} events.`);
    const event = readEvent(value, number);
    fold ??= new RunFold(emptyRunState(head?.run_id ?? event.run_id));
    checkSequence(event, fold.state, number);
    addTo(fold, event, number);
    rows.push(toEventRow(event));
  }
  if (!fold) throw refused('it has no events.', 'Choose a file exported by Loupe.');
  return { rows, state: fold.state, annotations: head?.annotations, images: [...images.values()] };
}

function readLine(line: string, number: number): unknown {
  if (line.length > MAX_LINE_CHARS)
    throw refused(`line ${formatCount(number)} is longer than ${formatCount(MAX_LINE_CHARS)} characters.`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw refused(
      `line ${number} is not JSON${cause instanceof Error ? `: ${cause.message.slice(0, 120)}` : ''}.`,
      'A run file has one JSON value per line. Choose a file exported by Loupe.',
    );
  }
  checkShape(value, number);
  return value;
}

/** Checks depth and field names without recursion, because the file is untrusted. */
function checkShape(value: unknown, number: number): void {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: current, depth } = next;
    if (typeof current !== 'object' || current === null) continue;
    if (depth > MAX_DEPTH) throw refused(`line ${number} is nested more than ${MAX_DEPTH} levels deep.`);
    if (Object.hasOwn(current, '__proto__')) throw refused(`line ${number} has a field named "__proto__".`);
    for (const inner of Object.values(current)) open.push({ value: inner, depth: depth + 1 });
  }
}

function isHeader(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'format' in value;
}

function isImage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'image' in value;
}

/** An image that the events refer to and whose bytes match its description. */
function readImageLine(value: unknown, { images }: RunState, number: number): StoredImage {
  const { image } = checked(imageLine, value, number);
  const data = Buffer.from(image.data, 'base64');
  if (images.kept.get(image.hash) !== data.length) {
    throw refused(`line ${number} has an image to which no event refers.`);
  }
  const header = readImageHeader(data);
  const isWhole = createHash('sha256').update(data).digest('hex') === image.hash;
  const side = Math.max(header?.width ?? 0, header?.height ?? 0);
  if (!isWhole || header?.type !== image.type || side > IMAGE_LIMITS.max_side) {
    throw refused(`line ${number} has an image that does not match its description.`);
  }
  return { hash: image.hash, type: image.type, data };
}

function readHeader(value: unknown, number: number): Header {
  const { version } = z.object({ version: z.number() }).safeParse(value).data ?? {};
  if (version !== undefined && version > IMAGES_VERSION) {
    throw refused(
      `it has format version ${version}, and this Loupe reads versions up to ${IMAGES_VERSION}.`,
      'Update Loupe, or ask for an export from an older version.',
    );
  }
  return checked(header, value, number);
}

function readEvent(value: unknown, number: number): RunEvent {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') {
    throw refused(`line ${number} is not an event of a run.`, 'Choose a run file or a bug bundle.');
  }
  if (!EVENT_TYPES.has(type)) {
    throw refused(
      `line ${number} has the unknown event type "${type.slice(0, 60)}".`,
      'It may come from a newer version. Update Loupe and import the file again.',
    );
  }
  return checked(runEvent, value, number);
}

function checkSequence(event: RunEvent, state: RunState, number: number): void {
  if (event.run_id !== state.runId) {
    throw refused(
      `line ${number} belongs to the run "${event.run_id.slice(0, 64)}", not to "${state.runId}".`,
    );
  }
  if (event.seq !== state.seq + 1) {
    throw refused(
      `line ${number} has event ${event.seq} where ${state.seq + 1} is expected.`,
      'Lines are missing, duplicated or out of order. Export the run again.',
    );
  }
  if (event.at > MAX_AT) throw refused(`line ${number} has an invalid time: ${event.at}.`);
  if ((event.type === 'run.created') !== (event.seq === 1)) {
    throw refused(`line ${number}: "run.created" must be the first event and occur once.`);
  }
  if (state.phase === 'ended') throw refused(`line ${number} comes after the end of the run.`);
}

function addTo(fold: RunFold, event: RunEvent, number: number): void {
  try {
    fold.add(event);
  } catch (cause) {
    throw refused(
      `line ${number} does not fit the events before it${cause instanceof Error ? `: ${cause.message.slice(0, 200)}` : ''}.`,
    );
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, number: number): z.output<Schema> {
  const result = schema.safeParse(value, IN_WORDS);
  if (result.success) return result.data;
  throw refused(`line ${number}: ${describeFieldProblems(result.error.issues, 'event')[0]}`);
}

/** The error of a file that cannot be imported. */
export function refused(
  message: string,
  hint = 'Nothing was imported. Export the run again, or choose another file.',
): AppError {
  return new AppError({
    code: 'bad_run_file',
    message: `This isn't a valid Loupe run file: ${message}`,
    hint,
  });
}

/**
 * Splits bytes into lines, one in memory at a time.
 *
 * @throws {AppError} `bad_run_file` if they are not UTF-8 or a line is too long
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw refused('it is not UTF-8 text.', 'Choose a file exported by Loupe.');
    }
  };
  for await (const chunk of bytes) {
    const parts = decode(chunk).split('\n');
    parts[0] = rest + (parts[0] ?? '');
    rest = parts.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS)
      throw refused(`a line is longer than ${formatCount(MAX_LINE_CHARS)} characters.`);
    yield* parts;
  }
  rest += decode();
  if (rest !== '') yield rest;
}
