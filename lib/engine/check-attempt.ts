import {
  type AnswerCheck,
  type BehaviorCheck,
  isAnswerCheck,
  isRubric,
  isWorkspaceCheck,
} from '../events/check-kinds.ts';
import type { AttemptOutcome } from '../events/run-state.ts';
import type { CheckResult } from '../events/verification.ts';
import { type Judgment, judgeAnswer, noAnswer } from '../policies/judge-answer.ts';
import { judgeBehavior } from '../policies/judge-behavior.ts';
import type { ReadyState } from '../policies/rule.ts';
import { shortText } from '../util/short-text.ts';
import { judgeInThread } from './judge-in-thread.ts';
import type { OpenedTools } from './open-tools.ts';

const MAX_OUTPUT_CHARS = 4000;

/**
 * Runs the checks of an attempt in order. Workspace checks use the tools; the others only need the log, so a resumed
 * run reaches the same verdicts.
 *
 * @param openTools opens the tools if a check needs the workspace
 * @returns the results so far when the signal is aborted
 */
export async function checkAttempt(
  state: ReadyState,
  attempt: AttemptOutcome,
  { openTools, signal }: { openTools: () => Promise<OpenedTools>; signal: AbortSignal },
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of state.config.checks) {
    if (signal.aborted) break;
    if (isRubric(check)) continue; // an opinion, requested afterwards
    if (isWorkspaceCheck(check)) {
      const tools = await openTools();
      results.push(...(await tools.runChecks([check], { signal })));
    } else {
      const startedAt = performance.now();
      const { passed, output } = await judge(check, state, attempt, signal);
      const duration_ms = Math.round(performance.now() - startedAt);
      results.push({ check, passed, output: shortText(output, MAX_OUTPUT_CHARS), duration_ms });
    }
  }
  return results;
}

async function judge(
  check: AnswerCheck | BehaviorCheck,
  state: ReadyState,
  { reason, output }: AttemptOutcome,
  signal: AbortSignal,
): Promise<Judgment> {
  if (!isAnswerCheck(check)) return judgeBehavior(check, state);
  if (reason !== 'final_answer') return noAnswer(reason);
  return isProgram(check) ? judgeInThread({ check, answer: output }, { signal }) : judgeAnswer(check, output);
}

/** Whether a check can run arbitrarily long, because its author decides what is computed. */
function isProgram({ type }: AnswerCheck): boolean {
  return type === 'answer_matches' || type === 'answer_schema';
}
