import { isRubric } from '../events/check-kinds.ts';
import type { EventOf } from '../events/registry.ts';
import type { AttemptOutcome } from '../events/run-state.ts';
import { outcomeOfChecks } from '../policies/verification.ts';
import { shortText } from '../util/short-text.ts';
import { checkAttempt } from './check-attempt.ts';
import { judgeInThread } from './judge-in-thread.ts';
import { judgeRubrics } from './judge-rubric.ts';
import type { LoopContext } from './loop-context.ts';
import type { RunSlot } from './run-slot.ts';
import { ABANDONED } from './stop-signals.ts';

/** Length of the message to a model whose answer does not fit its schema. */
const MAX_PROBLEM_CHARS = 2000;

/** Checks whether the answer fits the schema that the run asks for. */
export async function checkAnswer(context: LoopContext): Promise<void> {
  const { config, reply, iteration } = context.ready();
  if (!reply || !config.answer_schema) throw new RangeError('There is no answer to check');
  const check = { type: 'answer_schema', schema: config.answer_schema } as const;
  const { passed, output } = await judgeInThread({ check, answer: reply.text }, { signal: context.abort });
  // A check cut short by a stop says nothing about the answer.
  if (context.abort.aborted) return;
  const problem = passed ? {} : { problem: shortText(output, MAX_PROBLEM_CHARS) };
  context.append([{ type: 'answer.checked', iteration, call: reply.call, fits: passed, ...problem }]);
}

/** Checks the work of an attempt that has ended, by the run's checks and the opinions of models. */
export async function verifyAttempt(context: LoopContext, slot: RunSlot, attempt: number): Promise<void> {
  const state = context.ready();
  const ended = state.attempts.at(-1);
  if (!ended) throw new RangeError(`Run ${state.runId} has no attempt to check`);
  const openTools = async () => {
    await context.log.durable(); // checks run commands
    return context.openTools();
  };
  const checks = await context.withinGrace(checkAttempt(state, ended, { openTools, signal: context.abort }));
  // Checks cut short by a stop say nothing about the work.
  if (checks === ABANDONED || context.abort.aborted) return;
  const outcome = outcomeOfChecks(checks, { reason: ended.reason, cut: state.lastReplyCut });
  const opinions = await opinionsOn(ended, context, slot);
  if (context.abort.aborted) return;
  context.append([{ type: 'verification.checked', attempt, outcome, checks, ...opinions }]);
}

/** The opinions of models on the answer, if the run asks for them. */
async function opinionsOn(
  ended: AttemptOutcome,
  context: LoopContext,
  slot: RunSlot,
): Promise<Pick<EventOf<'verification.checked'>, 'opinions' | 'waited_ms'>> {
  const state = context.ready();
  if (!state.config.checks.some(isRubric)) return {};
  const asked = {
    ...{ model: context.model, signal: context.abort },
    takeSlot: async () => {
      if (slot.isHeld) return { hasSlot: true, waitedMs: 0 };
      const askedAt = performance.now();
      const hasSlot = await slot.takeDuringCall();
      return { hasSlot, waitedMs: performance.now() - askedAt };
    },
  };
  const judged = await context.withinGrace(judgeRubrics(state, ended, asked));
  if (judged === ABANDONED) return {};
  const { opinions, waitedMs } = judged;
  return { opinions, ...(waitedMs > 0 && { waited_ms: waitedMs }) };
}
