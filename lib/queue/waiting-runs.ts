import type { FreeRun } from '../store/leases.ts';

/** With a shared store: the runs for which no process had a slot at the last poll, in order. */
export class WaitingRuns {
  readonly #hostOf: (run: { model: string }) => string;
  #runs: readonly FreeRun[] = [];
  #look: () => void = () => undefined;

  /** @param hostOf the name by which every process knows the model server of a run */
  constructor(hostOf: (run: { model: string }) => string) {
    this.#hostOf = hostOf;
  }

  get ids(): readonly string[] {
    return this.#runs.map(({ id }) => id);
  }

  /** The position of a run among those that wait for the same model server, from 1; `undefined` if it does not wait. */
  positionOf(run: { id: string; model: string }): number | undefined {
    const index = this.waitingFor(this.#hostOf(run)).findIndex(({ id }) => id === run.id);
    return index < 0 ? undefined : index + 1;
  }

  /** The runs that wait for this model server. */
  waitingFor(host: string): FreeRun[] {
    return this.#runs.filter((run) => this.#hostOf(run) === host);
  }

  replace(runs: readonly FreeRun[]): void {
    this.#runs = runs;
  }

  /** Looks for work now, because a run was created or stopped, or a slot became free. */
  poke(): void {
    this.#look();
  }

  onPoke(look: () => void): void {
    this.#look = look;
  }
}
