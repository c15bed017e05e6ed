import { isStoreBusy } from './store-errors.ts';

/**
 * Retries while another program has the database locked, because a run's progress must not be lost. The store waits
 * between attempts.
 *
 * @throws other errors of `work`; also `store_busy`, once `signal` has fired
 */
export async function retryWhileBusy<T>(
  work: () => Promise<T>,
  { runId, signal, onBusy }: { runId: string; signal: AbortSignal; onBusy?: () => void },
): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreBusy(error) || signal.aborted) throw error;
      onBusy?.();
      if (attempts === 0)
        console.warn(`Run ${runId} is waiting for its store, which is locked or does not respond.`);
    }
  }
}
