import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../errors/app-error.ts';
import { readInProcess } from '../sharing/exports/read-in-process.ts';
import type { EventRow } from '../store/event-row.ts';
import { toEventRow } from '../store/import-run.ts';
import type { RunStore } from '../store/run-store.ts';
import { shortText } from '../util/short-text.ts';
import { isRunId } from './run-id.ts';
import type { RunLookup } from './run-lookup.ts';
import type { WriteGuard } from './write-guard.ts';

/**
 * Stores a run from a file as read-only. Importing the same file again changes nothing.
 *
 * @param bytes of the file
 * @param options.signal cancels the import; nothing is kept
 * @throws {AppError} `bad_run_file` with the invalid line, or for an invalid run ID, `run_exists` if a different
 *   run has it, `import_under_way`, `import_interrupted`, `storage_full`, `shutting_down`
 */
export async function importRunFile(
  bytes: AsyncIterable<Uint8Array>,
  options: {
    store: Pick<RunStore, 'importRun'>;
    stored: Pick<RunLookup, 'log'>;
    guard: WriteGuard;
    signal?: AbortSignal;
  },
): Promise<{ runId: string; created: boolean }> {
  const { store, stored, guard, signal } = options;
  guard.refuseWhenClosing();
  await using file = await readInProcess(bytes, { importedAt: Date.now(), signal });
  const { summary, slices, images, annotations } = file;
  const runId = summary.id;
  if (!isRunId(runId)) {
    throw new AppError({
      code: 'bad_run_file',
      message: `This isn't a valid Loupe run file: "${shortText(runId, 64)}" is not a valid run ID.`,
      hint: 'A run ID has lowercase letters, digits and hyphens. Nothing was imported.',
    });
  }
  await guard.refuseNewRun();
  const noted = annotations ? { ...summary, annotations } : summary;
  const { created } = await store.importRun({ summary: noted, slices, images, signal });
  if (!created && !(await isSameLog(stored.log(runId), slices))) throw runExists(runId);
  return { runId, created };
}

/** Whether a stored log and the slices of a file contain the same events. */
async function isSameLog(
  pages: ReturnType<RunLookup['log']>,
  slices: AsyncIterable<readonly EventRow[]>,
): Promise<boolean> {
  let here: EventRow[] = [];
  let same = true;
  for await (const rows of slices) {
    while (here.length < rows.length) {
      const page = await pages.next();
      if (page.done) break;
      here = [...here, ...page.value.map(toEventRow)];
    }
    same &&= isDeepStrictEqual(here.slice(0, rows.length), rows);
    here = here.slice(rows.length);
  }
  const more = await pages.next();
  return same && here.length === 0 && more.done === true;
}

function runExists(runId: string): AppError {
  return new AppError({
    code: 'run_exists',
    message: `A different run with the ID "${runId}" already exists.`,
    hint: 'Nothing was imported. To import this one, delete the existing run first.',
  });
}
