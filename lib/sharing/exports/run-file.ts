import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { RunFold } from '../../events/fold-run.ts';
import { type RunEvent, runEvent } from '../../events/registry.ts';
import { emptyRunState, type RunState } from '../../events/run-state.ts';
import { type EventRow, toEventRow } from '../../store/import-run.ts';

/** The version of the file format. Fields are added without a new one; a reader refuses versions it does not know. */
const VERSION = 1;
/** Longer lines and files are refused: they are read whole into memory. UTF-16 units; bytes are limited by the server. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;
export const MAX_RUN_FILE_BYTES = 128 * 1024 * 1024;
const MAX_EVENTS = 200_000;
/** A log of this program is a few levels deep; arguments that a model wrote add some. */
const MAX_DEPTH = 200;
/** The last moment that has a date. */
const MAX_AT = 8.64e15;

/** What a bug bundle says beside the log: versions, the model, settings. All of it was redacted with the log. */
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

const header = z.object({
  format: z.enum(['loupe-run', 'loupe-bundle']),
  version: z.int().positive(),
  run_id: z.string().min(1).max(64),
  about: bundleAbout.optional(),
});
type Header = z.infer<typeof header>;

/** The first line of a run file: a log as it is, or a bug bundle (docs/run-file.md). */
export function runFileHeader(runId: string, about?: BundleAbout): Header {
  return {
    format: about ? 'loupe-bundle' : 'loupe-run',
    version: VERSION,
    run_id: runId,
    ...(about ? { about } : {}),
  };
}

/** Puts the first line before the pages of a log. */
export async function* runFile(
  runId: string,
  pages: AsyncIterable<readonly RunEvent[]>,
  about?: BundleAbout,
): AsyncGenerator<readonly unknown[]> {
  yield [runFileHeader(runId, about)];
  yield* pages;
}

/** A run that came as a file, checked from its first line to its last. */
export interface ReadRun {
  /** Its events as the store keeps them: 1, 2, 3 … without gaps, of this run alone. */
  rows: EventRow[];
  state: RunState;
}

/**
 * Reads a run file: the log with its first line, a bug bundle, or the bare log of `/log`. The file is somebody else's:
 * every line is checked before the next is looked at, and nothing of it is kept when one is wrong.
 *
 * @param lines without their line breaks; empty ones are skipped
 * @throws {AppError} `bad_run_file` with the number of the line and what to do
 */
export async function readRunFile(lines: AsyncIterable<string>): Promise<ReadRun> {
  let number = 0;
  let head: Header | undefined;
  let fold: RunFold | undefined;
  const rows: EventRow[] = [];
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const value = readLine(line, number);
    if (rows.length === 0 && head === undefined && isHeader(value)) {
      head = readHeader(value, number);
      continue;
    }
    if (rows.length >= MAX_EVENTS) throw refused(`It has more than ${MAX_EVENTS} events.`);
    const event = readEvent(value, number);
    fold ??= new RunFold(emptyRunState(head?.run_id ?? event.run_id));
    checkSequence(event, fold.state, number);
    addTo(fold, event, number);
    rows.push(toEventRow(event));
  }
  if (!fold) throw refused('It holds no event.', 'Choose a file that Loupe exported.');
  return { rows, state: fold.state };
}

function readLine(line: string, number: number): unknown {
  if (line.length > MAX_LINE_CHARS)
    throw refused(`Line ${number} is longer than ${MAX_LINE_CHARS} characters.`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw refused(
      `Line ${number} is not JSON${cause instanceof Error ? `: ${cause.message.slice(0, 120)}` : ''}.`,
      'A run file has one JSON value in each line; the export makes such files.',
    );
  }
  checkShape(value, number);
  return value;
}

/** Depth and names, without recursion: both are the file's. */
function checkShape(value: unknown, number: number): void {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: current, depth } = next;
    if (typeof current !== 'object' || current === null) continue;
    if (depth > MAX_DEPTH) throw refused(`Line ${number} is nested more than ${MAX_DEPTH} levels deep.`);
    if (Object.hasOwn(current, '__proto__')) throw refused(`Line ${number} has a field named "__proto__".`);
    for (const inner of Object.values(current)) open.push({ value: inner, depth: depth + 1 });
  }
}

function isHeader(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'format' in value;
}

function readHeader(value: unknown, number: number): Header {
  const { version } = z.object({ version: z.number() }).safeParse(value).data ?? {};
  if (version !== undefined && version > VERSION) {
    throw refused(
      `It is of version ${version}; this Loupe reads up to ${VERSION}.`,
      'Update Loupe, or ask for an export of an older version.',
    );
  }
  return checked(header, value, number);
}

const EVENT_TYPES: ReadonlySet<string> = new Set(runEvent.options.map((option) => option.shape.type.value));

function readEvent(value: unknown, number: number): RunEvent {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type === 'string' && !EVENT_TYPES.has(type)) {
    throw refused(
      `Line ${number} is an event of the type "${type.slice(0, 60)}", which this Loupe does not know.`,
      'It may be from a newer Loupe: update this one.',
    );
  }
  return checked(runEvent, value, number);
}

function checkSequence(event: RunEvent, state: RunState, number: number): void {
  if (event.run_id !== state.runId) {
    throw refused(
      `Line ${number} belongs to the run "${event.run_id.slice(0, 64)}", not to "${state.runId}".`,
    );
  }
  if (event.seq !== state.seq + 1) {
    throw refused(
      `Line ${number} has event ${event.seq} where ${state.seq + 1} is expected.`,
      'Lines are missing, duplicated or out of order. Export the run again.',
    );
  }
  if (event.at > MAX_AT) throw refused(`Line ${number} has an invalid time: ${event.at}.`);
  if ((event.type === 'run.created') !== (event.seq === 1)) {
    throw refused(`Line ${number}: "run.created" must be the first event and occur once.`);
  }
  if (state.phase === 'ended') throw refused(`Line ${number} comes after the end of the run.`);
}

function addTo(fold: RunFold, event: RunEvent, number: number): void {
  try {
    fold.add(event);
  } catch (cause) {
    throw refused(
      `Line ${number} does not fit what came before it${cause instanceof Error ? `: ${cause.message.slice(0, 200)}` : ''}.`,
    );
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, number: number): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw refused(`Line ${number}${path ? `, ${path}` : ''}: ${issue?.message ?? 'not as expected'}`);
}

/** The error of a file that cannot be imported. */
export function refused(message: string, hint = 'Nothing was imported.'): AppError {
  return new AppError({ code: 'bad_run_file', message: `This is no run file. ${message}`, hint });
}

/**
 * Splits bytes into lines, one in memory at a time.
 *
 * @throws {AppError} `bad_run_file` when they are not UTF-8 or a line is too long
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw refused('It is not text in UTF-8.', 'Choose a file that Loupe exported.');
    }
  };
  for await (const chunk of bytes) {
    const parts = decode(chunk).split('\n');
    parts[0] = rest + (parts[0] ?? '');
    rest = parts.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS) throw refused(`A line is longer than ${MAX_LINE_CHARS} characters.`);
    yield* parts;
  }
  rest += decode();
  if (rest !== '') yield rest;
}
