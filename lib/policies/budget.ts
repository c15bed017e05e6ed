import type { RunConfig } from '../events/config.ts';
import type { EventOf } from '../events/registry.ts';
import { calculateCost } from '../model/cost.ts';
import type { ReadyState } from './rule.ts';

/** What a run has used so far. */
export interface Spending {
  tokens: number;
  costUsd: number;
  seconds: number;
}

/** Which limit is spent: used up counts, and tokens are named before cost before time (V1, V2). */
export function spentLimit(
  budget: RunConfig['budget'],
  spending: Spending,
): 'tokens' | 'cost' | 'seconds' | undefined {
  const { max_tokens_total: tokens, max_cost_usd: cost, max_seconds: seconds } = budget;
  if (tokens !== undefined && spending.tokens >= tokens) return 'tokens';
  if (cost !== undefined && spending.costUsd >= cost) return 'cost';
  if (seconds !== undefined && spending.seconds >= seconds) return 'seconds';
  return undefined;
}

/**
 * What the run has used at a moment. Time in which no worker had it does not count: a server that was off overnight
 * must not spend a run's minutes.
 *
 * @param now milliseconds since 1970
 */
export function spendingOf(state: ReadyState, now: number): Spending {
  const startedAt = state.startedAt ?? now;
  return {
    tokens: state.tokensIn + state.tokensOut,
    costUsd: costOf(state),
    seconds: Math.max(0, now - startedAt - state.lostMs) / 1000,
  };
}

/** The cost of all calls so far in US dollars (V3, V4); 0 for a local Ollama. */
export function costOf(state: ReadyState): number {
  return (
    calculateCost({ model: state.config.model, tokensIn: state.tokensIn, tokensOut: state.tokensOut }) ?? 0
  );
}

/** The look at the budget before an iteration (V1). */
export function checkBudget(
  state: ReadyState,
  iteration: number,
  now: number,
): Omit<EventOf<'budget.checked'>, 'run_id' | 'seq' | 'at'> {
  const spending = spendingOf(state, now);
  const exceeded = spentLimit(state.config.budget, spending);
  return {
    type: 'budget.checked',
    iteration,
    tokens_used: spending.tokens,
    cost_usd: spending.costUsd,
    seconds_used: spending.seconds,
    ...(exceeded === undefined ? {} : { exceeded }),
  };
}
