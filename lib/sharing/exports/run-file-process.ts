import { on } from 'node:events';
import { constants, setPriority } from 'node:os';
import { importedSummary } from '../../api/summarize-run.ts';
import { AppError } from '../../errors/app-error.ts';
import { slicesOf } from '../../store/import-run.ts';
import type { FromReader, ToReader } from './read-in-process.ts';
import { linesOf, readRunFile } from './run-file.ts';

// Entry point of the process that validates one run file and then sends its events slice by slice.

// Live runs and requests have priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const messages = on(process, 'message');

async function nextMessage(): Promise<ToReader> {
  const { value = [] } = await messages.next();
  return value[0];
}

function tell(message: FromReader): void {
  process.send?.(message);
}

async function* bytes(): AsyncGenerator<Uint8Array> {
  for (let message = await nextMessage(); message.kind === 'bytes'; message = await nextMessage()) {
    yield message.bytes;
  }
}

try {
  const { rows, state, annotations, images } = await readRunFile(linesOf(bytes()));
  tell({ kind: 'read', summary: importedSummary(state, Number(process.argv[2])), annotations });
  for (const slice of slicesOf(rows)) {
    await nextMessage();
    tell({ kind: 'rows', rows: slice });
  }
  await nextMessage();
  tell({ kind: 'rows', rows: [] });
  for (const image of images) {
    await nextMessage();
    tell({ kind: 'image', image });
  }
  await nextMessage();
  tell({ kind: 'image', image: undefined });
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  const { code, message, hint } = error;
  tell({ kind: 'refused', error: { code, message, hint } });
}
