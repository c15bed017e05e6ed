import type { ExperimentHolder } from '../experiments/experiments.ts';
import { BEATS_PER_LEASE, type ExperimentLeaseStore, type RunLeases } from '../store/leases.ts';
import { isStoreBusy } from '../store/store-errors.ts';
import { warnNotReleased } from './shared-work.ts';

/**
 * The experiments that this process runs. Where processes share the store, a lease ensures that only one runs each
 * experiment.
 */
export class ExperimentLeases implements ExperimentHolder {
  readonly #store: ExperimentLeaseStore & Pick<RunLeases, 'leaseMs'>;
  readonly #worker: string;
  readonly #held = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: ExperimentLeaseStore & Pick<RunLeases, 'leaseMs'>, worker: string) {
    this.#store = store;
    this.#worker = worker;
  }

  /**
   * @param on.beat called on each heartbeat, so that experiments of a dead process can be resumed
   * @param on.lost called when another process took an experiment over because this one stalled for longer than its lease
   */
  start(on: { beat: () => Promise<void>; lost: (id: string) => void }): void {
    const beat = async () => {
      try {
        for (const id of [...this.#held]) if (!(await this.keep(id))) on.lost(id);
        await on.beat();
      } catch (error) {
        if (!isStoreBusy(error)) console.error('Could not renew experiment leases:', error); // the next beat tries again
      }
    };
    this.#timer = setInterval(() => void beat(), this.#store.leaseMs / BEATS_PER_LEASE).unref();
  }

  async hold(id: string): Promise<boolean> {
    const held = await this.#store.holdExperiment(id, this.#worker);
    if (held) this.#held.add(id);
    return held;
  }

  async keep(id: string): Promise<boolean> {
    const kept = await this.#store.keepExperiment(id, this.#worker);
    if (!kept) this.#held.delete(id);
    return kept;
  }

  async release(id: string): Promise<void> {
    if (this.#held.delete(id)) await this.#store.releaseExperiment(id, this.#worker);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const id of [...this.#held]) await this.release(id).catch(warnNotReleased);
  }
}
