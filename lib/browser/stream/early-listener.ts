import type { RunDelta } from '../../events/delta.ts';
import type { ShownEvent } from '../../events/timeline.ts';
import type { ConnectionSignal } from '../state/connection.ts';

/** The listeners of a run. */
export interface RunListener {
  /** The last event held: the stream begins after it. */
  cursor(): number;
  events(events: readonly ShownEvent[]): void;
  delta(delta: RunDelta): void;
  signal(signal: ConnectionSignal): void;
}

/** Buffers messages about a run until its page listens. */
export class EarlyListener implements RunListener {
  readonly #came: ((listener: RunListener) => void)[] = [];
  #cursor = 0;

  cursor(): number {
    return this.#cursor;
  }
  events(events: readonly ShownEvent[]): void {
    this.#cursor = events.at(-1)?.seq ?? this.#cursor;
    this.#came.push((listener) => listener.events(events));
  }
  delta(delta: RunDelta): void {
    this.#came.push((listener) => listener.delta(delta));
  }
  signal(signal: ConnectionSignal): void {
    this.#came.push((listener) => listener.signal(signal));
  }
  /** Passes everything received on to another listener, in order. */
  handOverTo(listener: RunListener): void {
    for (const tell of this.#came) tell(listener);
  }
}
