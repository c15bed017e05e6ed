import type { RunSummary } from '../api/run-summary.ts';
import { AppError } from '../errors/app-error.ts';
import { eventBody } from '../events/event-body.ts';
import type { RunEvent } from '../events/registry.ts';
import type { EventRow } from './event-row.ts';
import type { ImageStore, StoredImage } from './image-store.ts';

/** Rows and UTF-16 units per transaction. A larger event gets its own transaction. */
export const SLICE_ROWS = 100;
const SLICE_CHARS = 256 * 1024;

/** A run from a file, read and checked. */
export interface FileRun {
  /** Its row, created by `importedSummary` from the folded events, with the annotations of the file. */
  summary: RunSummary;
  /** Its events in order, `run.created` first, as `slicesOf` divides them. */
  slices: AsyncIterable<readonly EventRow[]> | Iterable<readonly EventRow[]>;
  /** Its images, read after the events. */
  images?: AsyncIterable<StoredImage>;
  /** Cancels the import; nothing is kept. */
  signal?: AbortSignal;
}

/** Identifies an import: after a failed import, the same run can be imported again. */
export interface ImportKey {
  runId: string;
  importId: string;
}

/** The steps of an import. Each is a short transaction, so that other writes can run in between. */
export interface ImportSteps {
  /**
   * Inserts the run's row and its annotations, hidden from readers. Returns `false` if the run already exists.
   *
   * @throws {AppError} `import_under_way` while another request imports it, `too_many_tags`
   */
  beginImport(summary: RunSummary, importId: string): Promise<boolean>;
  /** Inserts the next events. @throws {AppError} `import_interrupted` if the import has been removed */
  addToImport(key: ImportKey, rows: readonly EventRow[]): Promise<void>;
  /** Makes the run visible with all its events. @throws {AppError} `import_interrupted` */
  publishImport(key: ImportKey): Promise<void>;
  /** Removes a failed import. Its rows are hidden and may be deleted later. */
  dropImport(key: ImportKey): Promise<void>;
}

/**
 * Stores a run from a file in short transactions. Readers see the complete run or nothing.
 *
 * @throws {RangeError} if an event is missing; also the errors of the steps and the slices, and the signal's reason
 */
export async function importInSlices(
  steps: ImportSteps,
  { summary, slices, images, signal }: FileRun,
  keepImages: ImageStore['keepImages'],
): Promise<{ runId: string; created: boolean }> {
  const runId = summary.id;
  const key = { runId, importId: crypto.randomUUID() };
  signal?.throwIfAborted();
  if (!(await steps.beginImport(summary, key.importId))) return { runId, created: false };
  try {
    let last = 0;
    for await (const rows of slices) {
      signal?.throwIfAborted();
      for (const { seq } of rows) {
        if (seq !== last + 1) throw new RangeError(`Event ${seq} of run ${runId} comes after event ${last}`);
        last = seq;
      }
      await steps.addToImport(key, rows);
    }
    signal?.throwIfAborted();
    if (last !== summary.last_seq) {
      throw new RangeError(`Run ${runId} has ${last} events, and its summary says ${summary.last_seq}`);
    }
    for await (const image of images ?? []) {
      signal?.throwIfAborted();
      await keepImages(runId, [image]);
    }
    await steps.publishImport(key);
  } catch (error) {
    // Rows that cannot be removed now are invisible, and are removed at the next start.
    await steps.dropImport(key).catch(() => undefined);
    throw error;
  }
  return { runId, created: true };
}

/** Splits the events of a run into transactions. */
export function* slicesOf(events: Iterable<EventRow>): Generator<EventRow[]> {
  let rows: EventRow[] = [];
  let chars = 0;
  for (const row of events) {
    if (rows.length === SLICE_ROWS || (rows.length > 0 && chars + row.body.length > SLICE_CHARS)) {
      yield rows;
      rows = [];
      chars = 0;
    }
    rows.push(row);
    chars += row.body.length;
  }
  if (rows.length > 0) yield rows;
}

export function toEventRow(event: RunEvent): EventRow {
  const { seq, type, at } = event;
  return { seq, type, at, body: eventBody(event) };
}

export function importUnderWay(runId: string): AppError {
  return new AppError({
    code: 'import_under_way',
    message: `Run "${runId}" is being imported by another request.`,
    hint: 'Try again when that import has ended.',
  });
}

export function importInterrupted(runId: string): AppError {
  return new AppError({
    code: 'import_interrupted',
    message: `The import of run "${runId}" was interrupted, and nothing of it is kept.`,
    hint: 'Import the file again.',
  });
}
