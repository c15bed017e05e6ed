import { errorParts } from '../errors/app-error.ts';
import { readableMessages } from '../events/message-images.ts';
import type { NewEvent } from '../events/registry.ts';
import { RETRY_LIMITS, retriesBefore } from '../events/retry-limits.ts';
import type { FailedCall } from '../events/run-state.ts';
import { compactionLimit } from '../events/window.ts';
import { OUT_OF_MEMORY_CODE } from '../model/model-error.ts';
import { isAtLeast, UNLOADS_AFTER_OUT_OF_MEMORY } from '../model/server-version.ts';
import { planCompaction } from './compaction.ts';
import { RETRY_WAITS_MS, retryWait } from './retry.ts';
import { type Decision, type Ending, ended, type ReadyState, type Verdict } from './rule.ts';
import { waitForServer } from './server-wait.ts';
import { thinkAfterRefusal, thinkToSend } from './thinking.ts';

/** How a mode handles a conversation that exceeds the context window. */
interface WhenTooLong {
  /** Whether older results may be shortened. */
  shortens: boolean;
  /** How to end when the conversation no longer fits; defaults to the plain reason. */
  whenFull?: (state: ReadyState) => Ending;
}

/** The fields of a failure that decide how it is handled. */
export type Failure = Pick<FailedCall, 'kind' | 'transient' | 'code' | 'message' | 'hint'>;

/** Handles a failure to prepare server or model: wait or retry if that may help, otherwise end. */
export function afterFailedPreparation(state: ReadyState, failure: Failure, now: number): Decision {
  if (failure.kind === 'timeout') return ended('timeout', { error: errorParts(failure) });
  return (
    waitForServer(state, failure, now) ??
    retryLater(state, failure, now) ??
    ended('error', { error: errorParts(failure) })
  );
}

/**
 * Handles a failed model call. Waits for a server that is down, retries other transient failures, sends a shorter
 * request after an overflow, and calls a model without thinking support without it. Any other failure ends the attempt
 * with its partial result (T17).
 *
 * @param options.now milliseconds since 1970
 * @returns `undefined` if Ollama could not parse the reply: that counts as a reply, not as an outage (T22)
 */
export function afterFailedCall(
  state: ReadyState,
  failure: Failure,
  { now, shortens, whenFull }: { now: number } & WhenTooLong,
): Verdict | undefined {
  const error = errorParts(failure);
  switch (failure.kind) {
    case 'malformed_call':
      return undefined;
    case 'timeout':
      return ended('timeout', { error });
    case 'overflow':
      return (
        (shortens ? retryShorter(state, failure) : undefined) ??
        ended('context_full', { ...whenFull?.(state), error })
      );
    case 'no_thinking_support':
    case 'no_thinking_levels':
      return retryWithLessThinking(state, failure) ?? ended('error', { error });
    default:
      return (
        waitForServer(state, failure, now) ??
        retryLater(state, failure, now) ??
        retryWithFreedMemory(state, failure) ??
        ended('error', { error })
      );
  }
}

/** The event that discards a reply or failure and sends the same messages again. */
export function retried(
  state: ReadyState,
  cause: Extract<NewEvent, { type: 'policy.retried' }>['cause'],
  message: string,
  waitMs = 0,
): Extract<NewEvent, { type: 'policy.retried' }> {
  return { type: 'policy.retried', iteration: state.iteration, cause, message, wait_ms: waitMs };
}

function retryLater(state: ReadyState, failure: Failure, now: number): Decision | undefined {
  if (!failure.transient) return undefined;
  const waitMs = retryWait({ retries: retriesBefore(state, 'transient'), since: state.transientSince, now });
  if (waitMs === undefined) return undefined;
  return { type: 'append', events: [retried(state, 'transient', failure.message, waitMs)], waitMs };
}

/**
 * Retries a call that ran out of memory once if the server unloads all models after it: what else was in memory is gone
 * then. A failed load is not retried, because the server itself repeats it without the others.
 */
function retryWithFreedMemory(state: ReadyState, failure: Failure): Decision | undefined {
  if (failure.code !== OUT_OF_MEMORY_CODE || retriesBefore(state, 'transient') > 0) return undefined;
  if (!isAtLeast(state.preflight?.server_version, UNLOADS_AFTER_OUT_OF_MEMORY)) return undefined;
  const waitMs = RETRY_WAITS_MS[0];
  return { type: 'append', events: [retried(state, 'transient', failure.message, waitMs)], waitMs };
}

function retryShorter(state: ReadyState, failure: Failure): Verdict | undefined {
  if (state.retries.overflow >= RETRY_LIMITS.overflow) return undefined;
  const compacted = compactNow(state);
  if (!compacted) return undefined;
  return { type: 'append', events: [compacted, retried(state, 'overflow', failure.message)] };
}

/** Warns only once, because every later call of the run uses the accepted setting. */
function retryWithLessThinking(state: ReadyState, failure: Failure): Verdict | undefined {
  const sent = thinkToSend(state);
  const think = thinkAfterRefusal(sent, failure.kind);
  if (think === undefined) return undefined;
  const { model } = state.config;
  const warning =
    think === true
      ? {
          code: 'thinking_levels_unsupported',
          message: `${model} has no thinking levels: think is true instead of "${sent}" from here on.`,
        }
      : {
          code: 'thinking_unsupported',
          message: `${model} cannot think: think is false instead of ${JSON.stringify(sent)} from here on.`,
        };
  return {
    type: 'append',
    events: [
      { type: 'policy.warned', ...warning, ...inIteration(state) },
      { ...retried(state, 'thinking', failure.message), think },
    ],
  };
}

/**
 * A compaction forced by the server although the estimate was small enough; `undefined` if nothing is left to
 * shorten.
 */
export function compactNow(state: ReadyState): NewEvent | undefined {
  const plan = planCompaction({
    messages: readableMessages(state),
    hasImages: state.images.kept.size > 0,
    imageFactor: state.images.factor,
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
