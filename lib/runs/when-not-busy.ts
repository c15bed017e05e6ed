import { isStoreBusy } from '../store/store-errors.ts';

/**
 * Does its work again and again while another program has the database locked (the store waits between the tries):
 * what a run has done must be written down, however long that takes.
 *
 * @param onBusy called once, at the first refusal
 * @throws what `work` throws; also `store_busy`, once `signal` has fired
 */
export async function whenNotBusy<T>(
  work: () => Promise<T>,
  { signal, onBusy }: { signal: AbortSignal; onBusy: () => void },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreBusy(error) || signal.aborted) throw error;
      if (tries === 0) onBusy();
    }
  }
}
