import { isStoreBusy } from './store-errors.ts';

/**
 * Retries while another program has the database locked, or it does not respond: no progress must be lost, and nobody
 * may be there to continue the work. The store waits between attempts.
 *
 * @param options.subject what waits, as the first words of a sentence
 * @throws other errors of `work`; also `store_busy`, once `signal` has fired
 */
export async function retryWhileBusy<T>(
  work: () => Promise<T>,
  { subject, signal, onBusy }: { subject: string; signal: AbortSignal; onBusy?: () => void },
): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreBusy(error) || signal.aborted) throw error;
      onBusy?.();
      if (attempts === 0)
        console.warn(`${subject} is waiting for the database, which is locked or does not respond.`);
    }
  }
}
