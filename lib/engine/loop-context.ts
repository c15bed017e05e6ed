import { setTimeout as delay } from 'node:timers/promises';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { Mode } from '../modes/mode.ts';
import { isReady, type ReadyState } from '../policies/rule.ts';
import type { Action } from './action.ts';
import type { OpenedTools } from './open-tools.ts';
import type { RunLog } from './run-log.ts';
import type { RunLoopOptions } from './run-loop-options.ts';
import { type ABANDONED, firstAborted, signalWhen, withinGrace } from './stop-signals.ts';

const STOP_GRACE_MS = 5000;
/** Abort reason once the loop has ended. Without one, Node creates an error with a stack trace each time. */
const CLOSED = 'closed';

/** What the steps of a run share: its log, model and mode, what ends a step early, its clock, and its tools. */
export class LoopContext {
  readonly log: RunLog;
  readonly model: ChatModel;
  readonly mode: Mode;
  /** Aborted by a forced stop, a shutdown, or a log that cannot be written. */
  readonly abort: AbortSignal;
  readonly #options: RunLoopOptions;
  readonly #graceMs: number;
  readonly #closed = new AbortController();
  /** Milliseconds to add to the clock, which may stop during a wait for the operator, unlike the times of events. */
  #clockShift = 0;
  #tools: Promise<OpenedTools> | undefined;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.log = options.log;
    this.model = options.model;
    this.mode = options.mode;
    this.#graceMs = options.stopGraceMs ?? STOP_GRACE_MS;
    const forced = signalWhen(options.log, (state) => state.stop?.force ?? false, this.#closed.signal);
    const causes = [...(options.signal ? [options.signal] : []), forced, options.log.failed];
    this.abort = firstAborted(causes, this.#closed.signal);
  }

  /** Ends all watching of the log and closes the tools. */
  async close(): Promise<void> {
    this.#closed.abort(CLOSED);
    // Tools that failed to open have already reported why, and a failing close must not change how the run ended.
    await this.#tools?.then((tools) => tools.close()).catch(() => {});
  }

  /** Whether the program shuts down: the run can be resumed, so nothing more is appended. */
  get isSuspended(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  /** Milliseconds since 1970, for time limits. */
  now(): number {
    return (this.#options.clock ?? Date.now)() + this.#clockShift;
  }

  /** Sets the clock back by a time that does not count towards the time limits, in milliseconds. */
  setBack(ms: number): void {
    this.#clockShift -= ms;
  }

  /** The state of a run that has its configuration. */
  ready(): ReadyState {
    const { state } = this.log;
    if (!isReady(state)) throw new RangeError(`Run ${state.runId} has no configuration yet`);
    return state;
  }

  append(events: readonly NewEvent[]): RunState {
    return this.log.append(events);
  }

  async appendAndWait({ events, waitMs }: Extract<Action, { type: 'append' }>): Promise<void> {
    this.append(events);
    if (!waitMs) return;
    await this.untilStop(async (signal) => {
      try {
        await this.sleep(waitMs, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#options.sleep?.(ms, signal) ?? delay(ms, undefined, { signal });
  }

  /** Waits with a signal that is aborted by any stop, even one that lets running calls finish. */
  async untilStop(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const done = new AbortController();
    const stopped = signalWhen(this.log, (state) => state.stop !== undefined, done.signal);
    try {
      await wait(AbortSignal.any([this.abort, stopped]));
    } finally {
      done.abort();
    }
  }

  /** The result of work that gets `abort`, or `ABANDONED` if it does not end in time after that. */
  withinGrace<T>(work: Promise<T>, isTidying?: () => boolean): Promise<T | typeof ABANDONED> {
    return withinGrace(work, this.abort, { graceMs: this.#graceMs, isTidying });
  }

  /** Opened once, on first use. */
  openTools(): Promise<OpenedTools> {
    this.#tools ??= this.#options.openTools(this.ready().config, this.abort);
    return this.#tools;
  }
}
