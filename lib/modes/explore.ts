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
import { adviseDiversity } from '../policies/diversity.ts';
import type { ReadyState, Verdict } from '../policies/rule.ts';
import { type AgentState, buildPrompt, EXPLORE_SYSTEM_PROMPT } from './explore-prompt.ts';
import type { Mode } from './mode.ts';

/** Marks what an agent says to its operator (O14). */
export const AGENT_PREFIX = '[AGENT]:';

/** Task-free cycles of calls and a reflection, over one history that only ever grows (X7-X13). */
export const exploreMode: Mode = {
  name: 'explore',
  usesTools: true,
  shortens: false,
  offer: (available) => available,
  streams: ({ config }) => config.live_tokens,
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
    const [system] = state.messages;
    const feedback = state.diversity?.cycle === state.cycle.number ? state.diversity.feedback : undefined;
    return buildPrompt(agentStateOf(state), system?.content ?? '', state.tools, feedback);
  },
  // What has done all its cycles is complete, also when no further one would fit.
  betweenIterations: [endAfterLastCycle, endWhenConversationFull, endCycleAtCallLimit, endOnEmptyCycles],
  beforeIteration: [startCycle, adviseDiversity],
  beforeRound: [],
  afterRound: [],
  // A reply is part of the history as soon as it comes (X9): none is ever asked for again.
  setsAside: () => false,
  onText: (state, broken) => withWarnings(broken, reflect(state, state.reply?.text ?? '')),
  onSilence: (state) => reflect(state, ''),
  whenFull: conversationFull,
  failure: (error) => new OllamaResponseError(error),
  notices: (event) => (event.type === 'agent.messaged' ? [`${AGENT_PREFIX} ${event.text}`] : []),
};

/** The one kind of error that a chat call of an exploration can end with; keeps status and cause (X6). */
export class OllamaResponseError extends ModelError {
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
      raw: error.raw,
      transient: error.transient,
      cause: error,
    });
    this.name = 'OllamaResponseError';
  }
}

/** The state of a run in the words of the exploration's source (X19). */
function agentStateOf(state: ReadyState): AgentState {
  return {
    run_id: state.runId,
    cycle_number: state.cycle.number,
    model_name: state.config.model,
    message_history: state.messages.slice(1),
    reflection_history: state.reflections.map(({ text }) => text),
  };
}

function withWarnings(warnings: readonly NewEvent[], verdict: Verdict): Verdict {
  return verdict.type === 'append' ? { ...verdict, events: [...warnings, ...verdict.events] } : verdict;
}
