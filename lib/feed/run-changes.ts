/** Notifies listeners that a run has changed. They read the changes themselves. */
export class RunChanges {
  readonly #listeners: ((runId: string) => void)[] = [];

  onChange(listener: (runId: string) => void): void {
    this.#listeners.push(listener);
  }

  notify(runId: string): void {
    for (const listener of this.#listeners) listener(runId);
  }
}
