import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { RunAnnotations } from '../../api/run-annotations.ts';
import type { RunSummary } from '../../api/run-summary.ts';
import { AppError } from '../../errors/app-error.ts';
import type { EventRow } from '../../store/event-row.ts';
import type { StoredImage } from '../../store/image-store.ts';
import { startBoundedProcess } from '../../util/bounded-process.ts';
import { refused } from './run-file.ts';

/** Memory limit of the reader process, in MiB. A file that needs more is refused. */
const MAX_MEMORY_MB = 2048;

export type ToReader = { kind: 'bytes'; bytes: Uint8Array } | { kind: 'end' } | { kind: 'next' };

export type FromReader =
  | { kind: 'read'; summary: RunSummary; annotations: RunAnnotations | undefined }
  | { kind: 'refused'; error: { code: string; message: string; hint: string | undefined } }
  /** Empty after the last row. */
  | { kind: 'rows'; rows: EventRow[] }
  /** `undefined` after the last image. Images follow the rows. */
  | { kind: 'image'; image: StoredImage | undefined };

/** A validated run file. The reader process holds its events until this is disposed. */
export interface ReadFile extends AsyncDisposable {
  summary: RunSummary;
  /** A person's annotations. */
  annotations: RunAnnotations | undefined;
  /** The run's events. Can be iterated once. */
  slices: AsyncIterable<readonly EventRow[]>;
  /** The run's images. Can be iterated once, after the events. */
  images: AsyncIterable<StoredImage>;
}

/**
 * Reads and validates a run file in a separate process. 200,000 events take seconds and hundreds of megabytes: in the server,
 * garbage collection would delay every other request, and a hostile file could exhaust its memory.
 *
 * @param bytes read to the end even if the file is refused early: clients do not read a response while they send, and
 *   requests must arrive within a time limit
 * @param options.importedAt milliseconds since 1970
 * @throws {AppError} the errors of `readRunFile`, and an error when reading takes more than `maxMemoryMb` MiB; also the
 *   reason of the signal, and errors of `bytes`
 */
export async function readInProcess(
  bytes: AsyncIterable<Uint8Array>,
  {
    importedAt,
    signal,
    maxMemoryMb = MAX_MEMORY_MB,
  }: { importedAt: number; signal?: AbortSignal; maxMemoryMb?: number },
): Promise<ReadFile> {
  signal?.throwIfAborted();
  const { child: reader, ended } = startBoundedProcess(new URL('./run-file-process.ts', import.meta.url), {
    args: [String(importedAt)],
    maxMemoryMb,
    failure: ({ outOfMemory, by, stderr }) =>
      outOfMemory
        ? tooMuchMemory(maxMemoryMb)
        : new Error(`The reader of a run file ended with ${by}: ${stderr}`),
  });
  const failed = signal ? Promise.race([ended, whenAborted(signal)]) : ended;
  failed.catch(() => undefined); // `answer` rejects with it
  const end = async () => {
    if (reader.exitCode !== null || reader.signalCode !== null) return;
    const exited = once(reader, 'exit');
    reader.kill('SIGKILL');
    await exited;
  };
  // A failed send needs no handling: `answer` rejects with the reason.
  const tell = (message: ToReader) => void reader.send(message, () => undefined);
  const answer = async (): Promise<FromReader> => {
    const [message] = await Promise.race([once(reader, 'message'), failed]);
    return message;
  };
  async function* slices() {
    for (;;) {
      tell({ kind: 'next' });
      const message = await answer();
      if (message.kind !== 'rows' || message.rows.length === 0) return;
      yield message.rows;
    }
  }
  async function* images() {
    for (;;) {
      tell({ kind: 'next' });
      const message = await answer();
      if (message.kind !== 'image' || message.image === undefined) return;
      yield message.image;
    }
  }
  try {
    const read = answer();
    read.catch(() => undefined); // awaited below, after the rest of the file
    for await (const chunk of bytes) {
      tell({ kind: 'bytes', bytes: chunk });
      await turn(); // for other requests
    }
    tell({ kind: 'end' });
    const message = await read;
    if (message.kind === 'refused') throw new AppError(message.error);
    if (message.kind !== 'read') throw new Error(`The reader of a run file answered with "${message.kind}"`);
    const { summary, annotations } = message;
    return {
      summary,
      annotations,
      slices: slices(),
      images: images(),
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function tooMuchMemory(megabytes: number): AppError {
  return refused(`Reading it takes more memory than is available, or more than ${megabytes} MB.`);
}
