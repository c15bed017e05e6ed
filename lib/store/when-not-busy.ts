import { isStoreBusy } from './store-errors.ts';

/**
 * Does its work again and again while another program has the database locked (the store waits between the tries):
 * what a run has done must be written down, however long that takes.
 *
 * @throws what `work` throws; also `store_busy`, once `signal` has fired
 */
export async function whenNotBusy<T>(
  work: () => Promise<T>,
  { runId, signal }: { runId: string; signal: AbortSignal },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreBusy(error) || signal.aborted) throw error;
      if (tries === 0) console.warn(`Run ${runId} waits for its store, which is locked or does not answer.`);
    }
  }
}
