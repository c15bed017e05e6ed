import { durationWords } from '../../util/durations.ts';
import { formatCount, formatPercent, plural } from '../../util/numbers.ts';
import { AGENT_PREFIX } from '../agent-prefix.ts';
import type { EventHandlers, EventOf } from '../registry.ts';
import type { WaitCause } from '../session.ts';
import { swallowedWords } from '../swallowed-reply.ts';

/** The conversation and who takes part in it: turns, cycles, memory, handovers, and what the operator says and switches. */
export const conversation = {
  // An event alone does not know the number of its turn: iterations include the summaries for handovers.
  'turn.ended': ({ outcome, swallowed_tokens }) =>
    `Turn ended with ${{ text: 'text', calls: 'calls', empty: 'nothing' }[outcome]}${
      swallowed_tokens ? `. ${swallowedWords(swallowed_tokens)}` : ''
    }`,
  'turn.paused': ({ wait_ms }) => `Pause of ${durationWords(wait_ms)} between turns`,
  'harness.prompted': ({ text }) => `Loupe added: ${text}`,
  'handover.started': ({ measured, tokens, limit_tokens }) =>
    `Handover: the conversation has ${measured ? '' : '≈'}${formatCount(tokens)} of ${formatCount(limit_tokens)} tokens, so the model is asked for a summary`,
  'handover.ended': ({ outcome }) =>
    outcome === 'done'
      ? 'The conversation continues in a fresh context that begins with the summary'
      : 'The model wrote no summary; the conversation continues unchanged',
  'operator-call.started': ({ model }) => `${model} is asked to answer for the operator`,
  'operator-call.ended': ({ model, text, error }) =>
    error === undefined
      ? `${model} answered for the operator${text === '' ? ' with nothing' : ''}`
      : `${model} could not answer for the operator: ${error}`,
  'cycle.started': ({ cycle }) => `Cycle ${cycle}`,
  'cycle.reflected': cycleReflected,
  'diversity.advised': ({ similarity, nearest_cycle, feedback }) =>
    `The last reflection is ${formatPercent(similarity)} similar to that of cycle ${nearest_cycle}${
      feedback === undefined ? '' : '; feedback was added'
    }`,
  'memory.changed': ({ operation, key, value }) =>
    operation === 'delete' ? `Memory "${key}" deleted` : `Memory "${key}" written: ${value ?? ''}`,
  'message.awaited': ({ cause }) => waitWords(cause),
  'autopilot.switched': ({ on }) => `Autopilot switched ${on ? 'on' : 'off'}`,
  'operator.messaged': ({ by, text }) =>
    `${by === undefined ? 'The operator' : POLICY_WORDS[by]} said: ${text}`,
  'operator.delivered': (event) =>
    `${plural(event.message_ids.length, 'message')} of the operator reached the model ${
      event.as === 'user-message' ? 'as a user message' : 'with a tool result'
    }`,
  'agent.messaged': ({ text }) => `${AGENT_PREFIX} ${text}`,
  'stop.requested': ({ force }) => (force ? 'Immediate stop requested' : 'Stop after this step requested'),
} satisfies Partial<EventHandlers<string>>;

function cycleReflected({ cycle, text, ended_by, swallowed_tokens }: EventOf<'cycle.reflected'>): string {
  if (ended_by === 'call_limit') return `Cycle ${cycle} was ended after too many calls`;
  if (text.trim() !== '') return `Reflection of cycle ${cycle}: ${text.trim()}`;
  return `Cycle ${cycle} ended without a reflection${
    swallowed_tokens ? `. ${swallowedWords(swallowed_tokens)}` : ''
  }`;
}

/** Who answers for the operator, by policy. */
const POLICY_WORDS = {
  fixed: 'The fixed reply',
  list: 'The list of replies',
  model: 'The replying model',
} as const;

/** Why a run waits for a message, as a sentence. */
function waitWords(cause: WaitCause): string {
  switch (cause) {
    case 'start':
      return 'Waiting for the first message';
    case 'text':
      return 'Waiting for a message';
    case 'empty':
      return 'The reply was empty; waiting for a message';
    case 'autopilot_turns':
      return 'Autopilot reached its turn limit; waiting for a message';
    case 'autopilot_time':
      return 'Autopilot reached its time limit; waiting for a message';
    case 'agent_message':
      return 'The agent sent a message; waiting for the reply';
  }
}
