import type { SuiteCase } from '../api/suite.ts';

/** Whether an answer contains the target, or one of the targets, regardless of case (as Inspect's `includes` does). */
export function matchesTarget(answer: string, target: NonNullable<SuiteCase['target']>): boolean {
  const text = answer.toLowerCase();
  return [target].flat().some((each) => text.includes(each.toLowerCase()));
}
