import { TextBatcher } from '../client/text-batcher.ts';
import type { ProgressEvent } from '../events/progress.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { summarizeArgs, summarizeResult } from '../tools/summarize.ts';
import { shortText } from '../util/short-text.ts';

export type ProgressListener = (event: ProgressEvent) => void;

type NoticesOf = (event: NewEvent, state: RunState) => readonly string[];

type WithoutBase<E> = E extends ProgressEvent ? Omit<E, 'run_id' | 'seq' | 'timestamp'> : never;
/** A progress event before the emitter gave it its place. */
export type ProgressBody = WithoutBase<ProgressEvent>;

/** Endings that a guard announces by a warning of its own (G19). */
const ANNOUNCED = new Set(['final_answer', 'repetition', 'stall']);

/**
 * The progress events that an event of the log stands for. Pure; most events stand for one or none (E4, E7, E8).
 *
 * @param state the state with the event folded in
 */
function progressOf(event: NewEvent, state: RunState): ProgressBody[] {
  const { iteration } = state;
  switch (event.type) {
    case 'run.started':
    case 'run.resumed':
      return [
        {
          type: 'run_started',
          model: state.config?.model ?? '',
          resumed: event.type === 'run.resumed',
        },
      ];
    case 'iteration.started':
      return [
        {
          type: 'iteration_started',
          iteration: event.iteration,
          ...(state.config?.max_iterations ? { limit: state.config.max_iterations } : {}),
        },
      ];
    case 'approval.requested':
      return [
        {
          type: 'status',
          message: `${event.tool} waits for approval.`,
          code: 'awaiting_approval',
          iteration,
        },
      ];
    case 'tool-call.started':
      return [
        {
          type: 'tool_call_started',
          tool_name: event.tool,
          args_summary: argsOf(event.call_id, state),
          iteration,
        },
      ];
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return [
        {
          type: 'tool_call',
          tool_name: event.tool,
          args_summary: argsOf(event.call_id, state),
          result_summary: summarizeResult(event.result),
          iteration,
        },
      ];
    case 'policy.nudged':
      return [{ type: 'nudge', cause: event.cause, count: event.count, limit: event.limit, iteration }];
    case 'policy.retried':
      return [
        { type: 'retry', cause: event.cause, message: event.message, wait_ms: event.wait_ms, iteration },
      ];
    case 'policy.compacted':
      return [
        {
          type: 'context_trimmed',
          before_tokens: event.before_tokens,
          after_tokens: event.after_tokens,
          iteration,
        },
      ];
    case 'budget.checked':
      return [
        {
          type: 'budget',
          tokens_used: event.tokens_used,
          cost_usd: event.cost_usd,
          seconds_used: event.seconds_used,
          ...(event.exceeded === undefined ? {} : { exceeded: event.exceeded }),
          iteration,
        },
      ];
    case 'policy.warned':
      return [{ type: 'status', message: event.message, code: event.code, iteration }];
    case 'run.ended': {
      const { status, termination_reason, iterations_used } = event.result;
      const finished = {
        type: 'run_finished' as const,
        status,
        termination_reason,
        iterations_used,
        message: event.message,
      };
      return ANNOUNCED.has(termination_reason)
        ? [finished]
        : [{ type: 'status', message: event.message, code: termination_reason, iteration }, finished];
    }
    default:
      return [];
  }
}

function argsOf(callId: string, state: RunState): string {
  const call = state.reply?.calls.find((pending) => pending.callId === callId);
  return call ? summarizeArgs(call.arguments) : shortText('', 0);
}

/**
 * Numbers and times progress events and hands them to one listener. Tokens are collected for 50 ms; everything else
 * goes out at once, after the tokens that wait (E2, E3). A listener that throws is not called again and disturbs
 * nothing (E12).
 */
export class ProgressEmitter {
  readonly #runId: string;
  readonly #clock: () => number;
  readonly #tokens: TextBatcher<'token' | 'thinking'>;
  readonly #notices: NoticesOf | undefined;
  #listener: ProgressListener | undefined;
  #seq = 0;
  #iteration = 0;

  constructor(options: {
    runId: string;
    onProgress?: ProgressListener;
    /** Lines that a mode shows for an event. */
    notices?: NoticesOf;
    /** Milliseconds since 1970. Default: the system's. */
    clock?: () => number;
    /** Milliseconds in which tokens are collected. */
    intervalMs?: number;
  }) {
    this.#runId = options.runId;
    this.#listener = options.onProgress;
    this.#notices = options.notices;
    this.#clock = options.clock ?? Date.now;
    this.#tokens = new TextBatcher(
      (type, text) => this.#emit({ type, text, iteration: this.#iteration }, this.#clock()),
      options.intervalMs,
    );
  }

  /** Takes an event of the log, with the state it is folded into. */
  event(event: NewEvent, state: RunState): void {
    if (!this.#listener) return;
    this.#tokens.flush();
    this.#iteration = state.iteration;
    for (const body of progressOf(event, state)) this.#emit(body, state.updatedAt);
    for (const text of this.#notices?.(event, state) ?? []) {
      this.#emit({ type: 'notice', text, iteration: state.iteration }, state.updatedAt);
    }
  }

  /** Takes text as the model writes it. */
  tokens(type: 'token' | 'thinking', text: string, state: RunState): void {
    if (!this.#listener) return;
    this.#iteration = state.iteration;
    this.#tokens.push(type, text);
  }

  /** Hands on the tokens that wait. */
  flush(): void {
    this.#tokens.flush();
  }

  #emit(body: ProgressBody, timestamp: number): void {
    if (!this.#listener) return;
    this.#seq += 1;
    try {
      this.#listener({ ...body, run_id: this.#runId, seq: this.#seq, timestamp });
    } catch (error) {
      this.#listener = undefined;
      console.warn(`Run ${this.#runId}: a progress listener failed and gets no more events.`, error);
    }
  }
}
