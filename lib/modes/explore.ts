import type { NewEvent } from '../events/registry.ts';
import { ModelError } from '../model/model-error.ts';
import { conversationFull, endWhenConversationFull } from '../policies/conversation-full.ts';
import {
  cycleLine,
  endAfterLastCycle,
  endCycleAtCallLimit,
  endOnEmptyCycles,
  reflect,
  startCycle,
} from '../policies/cycles.ts';
import { adviseDiversity, measureLastReflection } from '../policies/diversity.ts';
import { handOver } from '../policies/handover.ts';
import type { Verdict } from '../policies/rule.ts';
import { buildPrompt, EXPLORE_SYSTEM_PROMPT } from './explore-prompt.ts';
import type { Mode } from './mode.ts';
import { canStreamWithTools } from './streaming.ts';

/** Task-free cycles of calls and a reflection, over one append-only history (X7-X13). */
export const exploreMode: Mode = {
  name: 'explore',
  usesTools: true,
  shortens: false,
  offer: (available) => available,
  streams: (state) => state.config.live_tokens && canStreamWithTools(state),
  open: (state, { attempt, tools }) => [
    {
      type: 'attempt.started',
      attempt,
      messages: [{ role: 'system', content: EXPLORE_SYSTEM_PROMPT }],
      tools: [...tools],
    },
    {
      type: 'cycle.started',
      cycle: 1,
      ...(state.config.explore?.cycle_line ? { line: cycleLine(1) } : {}),
    },
  ],
  prompt(state) {
    const [system, ...history] = state.messages;
    const feedback = state.diversity?.cycle === state.cycle.number ? state.diversity.feedback : undefined;
    return buildPrompt(history, system?.content ?? '', feedback);
  },
  // Checked before the window: a run that has done all its cycles is complete even if the history is full.
  betweenIterations: [
    measureLastReflection,
    endAfterLastCycle,
    handOver,
    endWhenConversationFull,
    endCycleAtCallLimit,
    endOnEmptyCycles,
  ],
  beforeIteration: [startCycle, adviseDiversity],
  beforeRound: [],
  afterRound: [],
  // A reply joins the history as soon as it arrives (X9), so it is never retried.
  setsAside: () => false,
  onText: (state, broken) => withWarnings(broken, reflect(state, state.reply?.text ?? '')),
  onSilence: (state) => reflect(state, ''),
  whenFull: conversationFull,
  failure: (error) => new OllamaResponseError(error),
};

/** The only error type of an exploration's chat calls; keeps status and cause (X6). */
class OllamaResponseError extends ModelError {
  constructor(error: ModelError) {
    super({
      kind: error.kind,
      code: error.code,
      message: `Error during chat completion: ${error.message}`,
      hint: error.hint,
      status: error.status,
      promptTokens: error.promptTokens,
      contextTokens: error.contextTokens,
      partialText: error.partialText,
      partialThinking: error.partialThinking,
      raw: error.raw,
      transient: error.transient,
      cause: error,
    });
    this.name = 'OllamaResponseError';
  }
}

function withWarnings(warnings: readonly NewEvent[], verdict: Verdict): Verdict {
  return verdict.type === 'append' ? { ...verdict, events: [...warnings, ...verdict.events] } : verdict;
}
