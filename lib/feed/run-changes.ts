/** Tells listeners that there is something new to see of a run. They look for themselves what it is. */
export class RunChanges {
  readonly #listeners: ((runId: string) => void)[] = [];

  onChange(listener: (runId: string) => void): void {
    this.#listeners.push(listener);
  }

  notify(runId: string): void {
    for (const listener of this.#listeners) listener(runId);
  }
}
