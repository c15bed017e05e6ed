import type { NewEvent } from '../events/registry.ts';
import { jsonOfAnswer } from './judged-text.ts';
import { isPlanOnly } from './plan-only.ts';
import { ended, type ReadyState, type Verdict } from './rule.ts';
import { schemaRule } from './schema-rule.ts';
import { swallowedOf } from './swallowed-tokens.ts';

/** The exact text required by G12. */
export const NUDGE_TEXT =
  'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.';

/**
 * A text without calls is the attempt's answer (T16), unless it is a plan and a nudge is left (G12, G15).
 *
 * @param broken warnings about the reply. After a retry that was broken too, the reply is used as the answer (T21,
 *   T22); a nudge would not help
 */
export function answerOrNudge(state: ReadyState, broken: readonly NewEvent[]): Verdict {
  if (broken.length > 0) return ended('final_answer', { warnings: broken });
  const text = state.reply?.text ?? '';
  const plan =
    state.config.nudge_plans && !isData(state, text) && isPlanOnly(text, { toolsRan: hasToolResult(state) });
  if (plan && state.nudges < state.config.max_nudges) return nudge(state, 'plan');
  return ended('final_answer');
}

/**
 * Nudges after a reply with neither text nor call, or ends the attempt if no nudge is left (G14, G15). `malformed`
 * means that Ollama swallowed the call.
 */
export function nudgeOrEnd(state: ReadyState, cause: 'empty' | 'malformed'): Verdict {
  return state.nudges < state.config.max_nudges ? nudge(state, cause) : ended('nudge_exhausted');
}

/**
 * Whether the text is the data that the run asked for, or was constrained to be data. Data is not a plan, even if no
 * tool was called.
 */
function isData({ config, answer }: ReadyState, text: string): boolean {
  return config.answer_schema !== undefined && (answer.asked > 0 || 'value' in jsonOfAnswer(text));
}

/** Whether the model has seen a tool result, including one copied by a fork or reporting a denied call (G13). */
function hasToolResult({ messages }: ReadyState): boolean {
  return messages.some(({ role }) => role === 'tool');
}

/** A request for data offers no tools, so the nudge asks for the data instead of calls. */
function nudgeText(state: ReadyState): string {
  const { answer_schema: schema } = state.config;
  return schema && state.answer.asked > 0 ? `Give your answer as ${schemaRule(schema)}` : NUDGE_TEXT;
}

function nudge(state: ReadyState, cause: 'empty' | 'plan' | 'malformed'): Verdict {
  // The model has no iteration left to act on a nudge.
  if (state.iteration >= state.config.max_iterations) return ended('max_iterations');
  const swallowed = swallowedOf(state);
  return {
    type: 'append',
    events: [
      {
        type: 'policy.nudged',
        iteration: state.iteration,
        cause,
        ...(swallowed > 0 && { swallowed_tokens: swallowed }),
        text: nudgeText(state),
        count: state.nudges + 1,
        limit: state.config.max_nudges,
      },
    ],
  };
}
