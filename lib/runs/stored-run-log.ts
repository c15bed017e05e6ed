import type { RunLog } from '../engine/run-log.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunDelta } from '../events/delta.ts';
import { foldAll } from '../events/fold-run.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { LiveDeltas } from '../feed/live-deltas.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { type RunStore, StaleEpochError } from '../store/run-store.ts';
import { isSeqConflict } from '../store/store-errors.ts';
import { fault } from '../util/fault.ts';

/** Events kept in memory for live viewers; older ones are read from the store. */
const RECENT_EVENTS = 256;

/** The log of a run that this process works on, stored event by event. */
export class StoredRunLog implements RunLog {
  readonly runId: string;
  readonly epoch: number;
  readonly texts = new LiveDeltas();
  readonly #store: Pick<RunStore, 'read' | 'append'>;
  readonly #observers: readonly AppendObserver[];
  readonly #onChange: () => void;
  #state: RunState;
  #recent: RunEvent[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #waiting = new Set<() => void>();
  readonly #closed = new AbortController();

  /**
   * @param options.observers receive the events of each append before it completes
   * @param options.onChange called when viewers have something new to see
   */
  constructor(options: {
    store: Pick<RunStore, 'read' | 'append'>;
    state: RunState;
    epoch: number;
    observers?: readonly AppendObserver[];
    onChange: () => void;
  }) {
    this.runId = options.state.runId;
    this.epoch = options.epoch;
    this.#store = options.store;
    this.#state = options.state;
    this.#observers = options.observers ?? [];
    this.#onChange = options.onChange;
  }

  get state(): RunState {
    return this.#state;
  }

  /** Retries for as long as another program has the store locked, because no event may be lost. */
  append(events: readonly NewEvent[]): Promise<RunState> {
    return this.#inTurn(() =>
      retryWhileBusy(() => this.#appendChosen(() => events), {
        runId: this.runId,
        signal: this.#closed.signal,
      }),
    );
  }

  /**
   * Appends the events that `choose` derives from the latest state, for callers outside the loop, which cannot know what
   * was appended before. An empty list appends nothing.
   *
   * @throws {AppError} `store_busy` if another program has the store locked; the caller can retry
   */
  appendIf(choose: (state: RunState) => readonly NewEvent[]): Promise<RunState> {
    return this.#inTurn(() => this.#appendChosen(choose));
  }

  /**
   * Reads events appended by other processes, such as operator actions (docs/decisions/0022).
   *
   * @throws {StaleEpochError} if another worker has claimed the run
   */
  refresh(): Promise<RunState> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      return this.#state;
    });
  }

  #inTurn(work: () => Promise<RunState>): Promise<RunState> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined); // the caller handles the error; the next append proceeds
    return turn;
  }

  async #appendChosen(choose: (state: RunState) => readonly NewEvent[]): Promise<RunState> {
    for (;;) {
      try {
        return await this.#append(choose(this.#state));
      } catch (error) {
        if (!isSeqConflict(error) || !(await this.#catchUp())) throw error;
      }
    }
  }

  /** @returns whether there were new events */
  async #catchUp(): Promise<boolean> {
    const range = { afterSeq: this.#state.seq, limit: Number.MAX_SAFE_INTEGER };
    const events = await this.#store.read(this.runId, range);
    for (const event of events) {
      const taken = event.type === 'run.started' || event.type === 'run.resumed';
      if (taken && event.epoch > this.epoch) throw new StaleEpochError(this.runId, this.epoch);
    }
    if (events.length > 0) this.#grow(events);
    return events.length > 0;
  }

  async #append(events: readonly NewEvent[]): Promise<RunState> {
    if (this.#closed.signal.aborted) {
      throw new AppError({
        code: 'shutting_down',
        message: 'The server is stopping. The run resumes at the next start.',
      });
    }
    if (events.length === 0) return this.#state;
    for (const event of events) fault(`before:${event.type}`);
    const appended = await this.#store.append(this.runId, {
      epoch: this.epoch,
      expectedSeq: this.#state.seq,
      events,
    });
    await Promise.all(this.#observers.map((observer) => observer.write(this.runId, appended)));
    this.#grow(appended);
    for (const event of appended) fault(`after:${event.type}`);
    return this.#state;
  }

  #grow(events: readonly RunEvent[]): void {
    this.#state = foldAll(this.#state, events);
    this.#recent.push(...events);
    if (this.#recent.length > 2 * RECENT_EVENTS) this.#recent = this.#recent.slice(-RECENT_EVENTS);
    for (const event of events) this.#endTexts(event);
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
    this.#onChange();
  }

  delta(delta: RunDelta): void {
    if (!this.#closed.signal.aborted && this.texts.add(delta)) this.#onChange();
  }

  /** Resolves at the next append after `seq`, and when `signal` fires: the caller looks at the state either way. */
  changed(seq: number, signal: AbortSignal): Promise<void> {
    if (this.#state.seq > seq || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      signal.addEventListener('abort', wake);
      this.#waiting.add(wake);
    });
  }

  /** Events after `afterSeq` when they are still at hand, else `undefined`: then the store has them. */
  recent(afterSeq: number, limit: number): readonly RunEvent[] | undefined {
    if (afterSeq >= this.#state.seq) return [];
    const first = this.#recent[0]?.seq;
    if (first === undefined || afterSeq + 1 < first) return undefined;
    return this.#recent.slice(afterSeq + 1 - first, afterSeq + 1 - first + limit);
  }

  /** Waits for the appends that are on their way and takes no more: the run is left as it is, to be resumed. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#last;
  }

  #endTexts(event: RunEvent): void {
    switch (event.type) {
      case 'model-call.ended':
      case 'model-call.failed':
        this.texts.endCall(event.call);
        break;
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        this.texts.endTool(event.call_id);
        this.texts.endNote();
        break;
      case 'run.started':
      case 'run.resumed':
      case 'tool-call.started':
      case 'model.load-started':
      case 'model.loaded':
      case 'run.ended':
        this.texts.endNote();
        break;
      default:
        break;
    }
  }
}
