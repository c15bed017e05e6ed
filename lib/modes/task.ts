import { endAtIterationLimit } from '../policies/iteration-limit.ts';
import { answerOrNudge, nudgeOrEnd } from '../policies/nudge.ts';
import { deliverMessages } from '../policies/operator-messages.ts';
import { endOnRepetition } from '../policies/repetition.ts';
import { endOnStall } from '../policies/stall.ts';
import { buildAgenticPrompt } from './agentic-prompt.ts';
import { buildMessages } from './build-messages.ts';
import type { Mode } from './mode.ts';
import { canStreamWithTools } from './streaming.ts';

/** Runs tools in a workspace in a loop until the model answers or a guard ends it (T1). */
export const taskMode: Mode = {
  name: 'task',
  usesTools: true,
  shortens: true,
  offer: (available) => available,
  streams: (state) => state.config.live_tokens && canStreamWithTools(state),
  open: (state, { attempt, tools }) => [
    { type: 'attempt.started', attempt, messages: buildMessages(state, tools), tools: [...tools] },
  ],
  toolPrompt: (tools, { answer_schema: answerSchema }) => buildAgenticPrompt({ tools, answerSchema }),
  betweenIterations: [endAtIterationLimit],
  beforeIteration: [deliverMessages],
  beforeRound: [endOnRepetition],
  afterRound: [endOnStall],
  setsAside: () => true,
  onText: answerOrNudge,
  onSilence: nudgeOrEnd,
};
