import type { NewEvent } from '../events/registry.ts';
import { RETRY_LIMITS } from '../events/retry-limits.ts';
import type { FailedCall } from '../events/run-state.ts';
import { planCompaction } from './compaction.ts';
import { retryWait } from './retry.ts';
import { type Decision, type Ending, type ErrorShape, ended, type ReadyState, type Verdict } from './rule.ts';
import { compactionLimit } from './window.ts';

/** What a mode says about a conversation that does not fit. */
interface WhenTooLong {
  /** Whether older results may be sent in a shorter form. */
  shortens: boolean;
  /** The end of a conversation that fits no more; left out: the plain reason. */
  whenFull?: (state: ReadyState, estimate: undefined) => Ending;
}

/** The parts of a failure that decide what to do about it. */
export type Failure = Pick<FailedCall, 'kind' | 'transient' | 'code' | 'message' | 'hint'>;

/** What to do when preparing server and model failed: try again when that may help, else end. */
export function afterFailedPreparation(state: ReadyState, failure: Failure, now: number): Decision {
  if (failure.kind === 'timeout') return ended('timeout', { error: errorOf(failure) });
  return retryLater(state, failure, now) ?? ended('error', { error: errorOf(failure) });
}

/**
 * What to do about a model call that failed. Passing failures are tried again; an overflow is followed by a shorter
 * request; a model that cannot think is asked without. Everything else ends the attempt with what there is (T17).
 *
 * @param options.now milliseconds since 1970
 * @returns `undefined` for a call that Ollama could not read: that is a reply, not an outage (T22)
 */
export function afterFailedCall(
  state: ReadyState,
  failure: Failure,
  { now, shortens, whenFull }: { now: number } & WhenTooLong,
): Verdict | undefined {
  const error = errorOf(failure);
  switch (failure.kind) {
    case 'malformed_call':
      return undefined;
    case 'timeout':
      return ended('timeout', { error });
    case 'overflow':
      return (
        (shortens ? retryShorter(state, failure) : undefined) ??
        ended('context_full', { ...whenFull?.(state, undefined), error })
      );
    case 'no_thinking_support':
      if (state.thinkingRefused) return ended('error', { error });
      return {
        type: 'append',
        events: [
          {
            type: 'policy.warned',
            code: 'thinking_unsupported',
            message: `${state.config.model} cannot think: its replies come without thinking from here on.`,
            ...inIteration(state),
          },
          retried(state, 'thinking', failure.message),
        ],
      };
    default:
      return retryLater(state, failure, now) ?? ended('error', { error });
  }
}

/** The event that sets a reply or a failure aside and sends the same messages again. */
export function retried(
  state: ReadyState,
  cause: Extract<NewEvent, { type: 'policy.retried' }>['cause'],
  message: string,
  waitMs = 0,
): NewEvent {
  return { type: 'policy.retried', iteration: state.iteration, cause, message, wait_ms: waitMs };
}

function retryLater(state: ReadyState, failure: Failure, now: number): Decision | undefined {
  if (!failure.transient) return undefined;
  const waitMs = retryWait({ retries: state.retries.transient, since: state.transientSince, now });
  if (waitMs === undefined) return undefined;
  return { type: 'append', events: [retried(state, 'transient', failure.message, waitMs)], waitMs };
}

function retryShorter(state: ReadyState, failure: Failure): Verdict | undefined {
  if (state.retries.overflow >= RETRY_LIMITS.overflow) return undefined;
  const compacted = compactNow(state);
  if (!compacted) return undefined;
  return { type: 'append', events: [compacted, retried(state, 'overflow', failure.message)] };
}

/** The shortening that the server forces, though the estimate was small enough; `undefined` when nothing is left. */
export function compactNow(state: ReadyState): NewEvent | undefined {
  const plan = planCompaction({
    messages: state.messages,
    folded: state.folded,
    tools: state.tools,
    limitTokens: compactionLimit(state),
    keepRounds: state.config.keep_rounds,
    resultChars: state.config.result_chars,
    force: true,
  });
  return plan && { type: 'policy.compacted', iteration: Math.max(1, state.iteration), ...plan };
}

function inIteration(state: ReadyState): { iteration?: number } {
  return state.iteration > 0 ? { iteration: state.iteration } : {};
}

function errorOf({ code, message, hint }: Failure): ErrorShape {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}
