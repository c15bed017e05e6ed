import { runTimeMs } from '../policies/budget.ts';
import type { LoopContext } from './loop-context.ts';
import type { RunLoopOptions } from './run-loop-options.ts';

/** The run's slot at the model server, which runs take in turns. */
export class RunSlot {
  readonly #context: LoopContext;
  readonly #queue: Pick<RunLoopOptions, 'takeSlot' | 'leaveSlot' | 'yieldToOthers'>;
  readonly #reload: (waitedMs: number) => Promise<void>;
  #isHeld = false;
  /** The iteration in which the run got its slot. It completes at least one more before it yields. */
  #since: number;
  #waitedBeforeCheckMs = 0;

  /** @param reload loads the model after others may have used the server, and records the wait for the slot */
  constructor(
    context: LoopContext,
    queue: Pick<RunLoopOptions, 'takeSlot' | 'leaveSlot' | 'yieldToOthers'>,
    reload: (waitedMs: number) => Promise<void>,
  ) {
    this.#context = context;
    this.#queue = queue;
    this.#reload = reload;
    this.#since = context.log.state.iteration;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Waits for a slot if the run has none, then loads the model if needed. The load records the wait, which is not run
   * time.
   *
   * @returns whether the next action must be determined again
   */
  async take(): Promise<boolean> {
    if (this.#isHeld) return false;
    const askedAt = performance.now();
    const othersPassed = await this.#queue.takeSlot?.();
    const waitedMs = performance.now() - askedAt;
    const state = this.#context.ready();
    if (this.#context.isSuspended || state.stop) return true;
    this.#isHeld = true;
    this.#since = state.iteration;
    if (othersPassed === undefined) return false;
    if (!state.preflight) {
      this.#waitedBeforeCheckMs += waitedMs;
      return false;
    }
    if (state.loaded && !othersPassed) return false;
    await this.#reload(waitedMs);
    return true;
  }

  /**
   * Waits for a slot, but leaves loading to the model server: a failed load must not end the run during a call.
   *
   * @returns whether the run has a slot now: it has none after a stop
   * @throws the reason of the signal
   */
  async takeDuringCall(until?: AbortSignal): Promise<boolean> {
    if (!this.#isHeld) {
      await this.#queue.takeSlot?.(until);
      const { stop, iteration } = this.#context.log.state;
      if (this.#context.isSuspended || stop) return false;
      this.#isHeld = true;
      this.#since = iteration;
    }
    return true;
  }

  /** Yields the slot if others wait for it, and reloads the model afterwards. @returns whether it did */
  async yieldToOthers(): Promise<boolean> {
    if (this.#context.log.state.iteration <= this.#since) return false;
    const askedAt = performance.now();
    if (!(await this.#queue.yieldToOthers?.())) return false;
    const waitedMs = performance.now() - askedAt;
    const state = this.#context.ready();
    this.#since = state.iteration;
    if (!this.#context.isSuspended && !state.stop) await this.#reload(waitedMs);
    return true;
  }

  /** Waits without holding a slot at the model server. None of that time counts towards the time budget. */
  async without(wait: () => Promise<void>): Promise<void> {
    const { log } = this.#context;
    const before = runTimeMs(log.state, this.#context.now());
    if (this.#isHeld) {
      this.#isHeld = false;
      await this.#queue.leaveSlot?.();
    }
    await wait();
    this.#context.setBack(runTimeMs(log.state, this.#context.now()) - before);
  }

  /** Waits before server and model were checked, in milliseconds, which no load has recorded yet. They count once. */
  takeUnrecordedWait(): number {
    const waited = this.#waitedBeforeCheckMs;
    this.#waitedBeforeCheckMs = 0;
    return waited;
  }
}
