import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { EventOf } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { waitedMs } from '../events/worked-ms.ts';
import type { ReadyState } from './rule.ts';

/** A run's usage so far. */
export interface Spending {
  tokens: number;
  /** `undefined` where the model has no price. */
  costUsd: number | undefined;
  seconds: number;
}

/** The first limit reached, checked in the order tokens, cost, time (V1, V2). */
export function spentLimit(
  budget: RunConfig['budget'],
  spending: Spending,
): 'tokens' | 'cost' | 'seconds' | undefined {
  const { max_tokens_total: tokens, max_cost_usd: cost, max_seconds: seconds } = budget;
  if (tokens !== undefined && spending.tokens >= tokens) return 'tokens';
  if (cost !== undefined && spending.costUsd !== undefined && spending.costUsd >= cost) return 'cost';
  if (seconds !== undefined && spending.seconds >= seconds) return 'seconds';
  return undefined;
}

/**
 * The run's usage at a given time. Time during which no worker held the run, or in which it waited for the operator, is
 * excluded: neither a server that was off overnight nor a person at lunch uses up a run's minutes.
 *
 * @param now milliseconds since 1970
 */
function spendingOf(state: ReadyState, now: number): Spending {
  return {
    tokens: state.tokensIn + state.tokensOut,
    costUsd: state.costUsd,
    seconds: Math.max(0, runTimeMs(state, now)) / 1000,
  };
}

/**
 * The time that counts towards the budget, in milliseconds. Negative if `now` is behind the timestamps of the log.
 *
 * @param now milliseconds since 1970
 */
export function runTimeMs(state: RunState, now: number): number {
  return now - (state.startedAt ?? now) - state.lostMs - waitedMs(state, now);
}

/** @throws {AppError} `no_price` for a cost budget with a model that has no price */
export function requirePriceForBudget({
  budget,
  model,
  price,
}: Pick<RunConfig, 'budget' | 'model' | 'price'>) {
  if (budget.max_cost_usd === undefined || price) return;
  throw new AppError({
    code: 'no_price',
    message: `budget.max_cost_usd: ${model} has no price, so its cost is unknown.`,
    hint: 'Set a price on the Models page or with POST /api/models/price, or remove the cost budget.',
  });
}

/** Checks the budget before an iteration (V1). */
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
    ...(state.tokensEstimated > 0 && { tokens_estimated: state.tokensEstimated }),
    ...(spending.costUsd === undefined ? {} : { cost_usd: spending.costUsd }),
    seconds_used: spending.seconds,
    ...(exceeded === undefined ? {} : { exceeded }),
  };
}
