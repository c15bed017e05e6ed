import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import { AlreadyRunningError } from './instance-lock.ts';
import { SqliteRunStore } from './sqlite-store.ts';
import type { FromStore, SentError, ToStore } from './threaded-store.ts';

// The worker thread of a ThreadedRunStore.

const { dataDir, options } = z
  .object({
    dataDir: z.string(),
    options: z.object({ ballastMegabytes: z.number().optional(), busyPatienceMs: z.number().optional() }),
  })
  .parse(workerData);

function tell(message: FromStore): void {
  parentPort?.postMessage(message);
}

function sent(error: unknown): SentError {
  if (!(error instanceof AppError)) return { error };
  const { code, message, hint } = error;
  const holder = error instanceof AlreadyRunningError ? error.holder : undefined;
  return { known: { code, message, hint }, running: error instanceof AlreadyRunningError, holder };
}

function sentIfAny(error: unknown): SentError | undefined {
  return error === undefined ? undefined : sent(error);
}

async function serve(store: SqliteRunStore): Promise<void> {
  store.onFullDisk(() => tell({ kind: 'full' }));
  const answer = async ({ id, method, args }: ToStore) => {
    try {
      // Both sides share the types, so arguments are checked at the call site.
      const work: (...args: never[]) => unknown = store[method];
      const value = await work.apply(store, args as never[]);
      tell({ kind: 'done', id, value: method === 'appendAll' ? (value as unknown[]).map(sentIfAny) : value });
    } catch (error) {
      tell({ kind: 'failed', id, ...sent(error) });
    }
    if (method === 'close') parentPort?.close();
  };
  parentPort?.on('message', (message: ToStore) => void answer(message));
  tell({ kind: 'open', path: store.path, full: (await store.fullDisk()) !== undefined });
}

try {
  await serve(SqliteRunStore.open(dataDir, options));
} catch (error) {
  tell({ kind: 'refused', ...sent(error) });
}
