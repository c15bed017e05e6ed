import type { CheckSummary } from '../../api/model-check.ts';
import { tokensPerSecond } from '../../events/speed.ts';
import { wilson } from '../../statistics/wilson.ts';

/** The result of one check of a model. */
export interface CheckPoint {
  readonly model: string;
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Rules that passed, of those that could be judged. */
  readonly passed: number;
  readonly judged: number;
  /** Their share with its 95% interval; missing if no rule could be judged. */
  readonly rate?: { readonly low: number; readonly value: number; readonly high: number };
  /** Tokens per second; missing in older checks. */
  readonly speed?: number;
}

/** The results of checks in the given order. Pure. */
export function checkPoints(checks: readonly CheckSummary[]): CheckPoint[] {
  return checks.map(({ model, digest, ended_at: at, axes, timed_tokens, eval_ms }) => {
    const scores = Object.values(axes);
    const passed = scores.reduce((sum, score) => sum + score.passed, 0);
    const judged = scores.reduce((sum, score) => sum + score.judged, 0);
    const speed = tokensPerSecond(timed_tokens, eval_ms);
    return {
      ...{ model, digest, at, passed, judged },
      ...(judged === 0 ? {} : { rate: { ...wilson(passed, judged), value: passed / judged } }),
      ...(speed === undefined ? {} : { speed }),
    };
  });
}
