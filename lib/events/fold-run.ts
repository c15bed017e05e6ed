import { Pass } from './appended.ts';
import { calculateCost } from './cost.ts';
import { conversation } from './fold-run/conversation.ts';
import { forked } from './fold-run/forked.ts';
import { lifecycle } from './fold-run/lifecycle.ts';
import { modelCalls } from './fold-run/model-calls.ts';
import { policies } from './fold-run/policies.ts';
import { toolCalls } from './fold-run/tool-calls.ts';
import type { EventOf, RunEvent, RunEventType } from './registry.ts';
import type { Reducers, RunState } from './run-state.ts';
import { waitAfter } from './worked-ms.ts';

/**
 * Folds one event into the state. Pure, and the only interpretation of a log: the loop, dashboard, exports and tests
 * all use it. Cost does not depend on the length of the log, except for copying lists of references, which `foldAll`
 * avoids.
 *
 * @throws {RangeError} if the event is not the run's next one, so that gaps are never missed
 */
export function foldRun(state: RunState, event: RunEvent): RunState {
  if (event.seq !== state.seq + 1) {
    throw new RangeError(`Run ${state.runId}: event ${event.seq} cannot follow event ${state.seq}`);
  }
  const next = apply(state, event);
  const phaseSince =
    next.phase === state.phase && next.iteration === state.iteration ? state.phaseSince : event.at;
  return {
    ...next,
    costUsd: costAfter(state, next),
    ...waitAfter(next, event.at),
    seq: event.seq,
    updatedAt: event.at,
    phaseSince: state.seq === 0 ? event.at : phaseSince,
  };
}

/**
 * Folds a complete log, or its continuation, in linear time.
 *
 * @param afterEach called with the state after each event, which it must not keep
 */
export function foldAll(
  state: RunState,
  events: Iterable<RunEvent>,
  afterEach?: (state: RunState, event: RunEvent) => void,
): RunState {
  const fold = new RunFold(state);
  for (const event of events) {
    fold.add(event);
    afterEach?.(fold.state, event);
  }
  return fold.state;
}

/** A fold that only keeps the newest state; earlier states must not be used any more. */
export class RunFold {
  state: RunState;
  readonly #pass = new Pass();

  /** @param state is not modified */
  constructor(state: RunState) {
    this.state = state;
  }

  /** @throws {RangeError} as `foldRun` does; the fold cannot be used afterwards */
  add(event: RunEvent): void {
    this.state = this.#pass.step(() => foldRun(this.state, event));
  }
}

/** The run's cost so far, from its tokens and model time. */
function costAfter(before: RunState, { config, costUsd, tokensIn, tokensOut, spent }: RunState) {
  const usage = {
    tokensIn: tokensIn - before.tokensIn,
    tokensOut: tokensOut - before.tokensOut,
    modelMs: spent.modelMs - before.spent.modelMs,
  };
  const cost = calculateCost(usage, config?.price);
  return cost === undefined ? costUsd : (costUsd ?? 0) + cost;
}

const REDUCERS: Reducers = {
  ...lifecycle,
  ...modelCalls,
  ...toolCalls,
  ...policies,
  ...conversation,
  'run.forked': forked,
};

function apply<T extends RunEventType>(state: RunState, event: EventOf<T>): RunState {
  const reduce = REDUCERS[event.type as T];
  return reduce(state, event);
}
