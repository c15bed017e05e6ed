import { queuedMessages } from '../events/queued-messages.ts';
import type { PendingCall, RunState } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { Appending, ReadyState } from './rule.ts';

/** The tool with which an agent writes to the operator (O14). */
const MESSAGE_TOOL = 'send_message_to_operator';
/** How many of the latest messages the replying model gets. */
const MAX_TALK_MESSAGES = 40;
/** Reply limit of that model, in tokens. */
export const OPERATOR_NUM_PREDICT = 1024;

/** The system prompt of the replying model, unless the run has its own. */
const OPERATOR_PROMPT = [
  'You are the operator of an autonomous agent that runs without a task. It writes to you from time to time; the user messages are from the agent.',
  'Answer its last message in a few sentences: honestly, politely and to the point. Give it no tasks and make no promises. You can do nothing for it except answer.',
].join('\n\n');

/**
 * What the run's policy does before the agent's message to the operator is sent, so that the result of the same call
 * contains the answer: reply, ask a model, or wait for a person. `undefined` if there is nothing to do: it is another
 * call, there is no policy, a person has already written, or the policy has done its part. Pure.
 */
export function operatorStep(
  state: ReadyState,
  call: PendingCall,
): Appending | { type: 'ask-operator'; call: PendingCall } | undefined {
  const {
    operator_policy: policy = 'none',
    operator_replies: replies = [],
    operator_model: model,
  } = state.config;
  if (call.name !== MESSAGE_TOOL || policy === 'none' || state.stop) return undefined;
  if (messageOf(call) === undefined || queuedMessages(state).length > 0) return undefined;
  if (state.operatorAsked === call.callId) return undefined;
  switch (policy) {
    case 'wait':
      return {
        type: 'append',
        events: [
          {
            type: 'message.awaited',
            iteration: state.iteration,
            cause: 'agent_message',
            call_id: call.callId,
          },
        ],
      };
    case 'fixed':
      return reply(state, call, { by: policy, text: replies[0] });
    case 'list': {
      const given = state.operatorMessages.filter(({ by }) => by === 'list').length;
      return reply(state, call, { by: policy, text: replies[given] });
    }
    case 'model':
      return model === undefined ? undefined : { type: 'ask-operator', call };
  }
}

function reply(
  state: RunState,
  call: PendingCall,
  { by, text }: { by: 'fixed' | 'list'; text: string | undefined },
): Appending | undefined {
  return text === undefined
    ? undefined
    : { type: 'append', events: [operatorReply(state, call, { by, text })] };
}

/** The event with the policy's answer to a call. */
export function operatorReply(
  { operatorMessages }: Pick<RunState, 'operatorMessages'>,
  { callId }: PendingCall,
  { by, text }: { by: 'fixed' | 'list' | 'model'; text: string },
) {
  // IDs of a person's messages start with another letter, so they cannot collide.
  const number = operatorMessages.filter((message) => message.by !== undefined).length + 1;
  return { type: 'operator.messaged' as const, message_id: `p${number}`, text, by, call_id: callId };
}

/** The text that a call sends; `undefined` if there is none. */
function messageOf({ arguments: { message } }: PendingCall): string | undefined {
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

/**
 * The messages sent to the replying model: its prompt, and the conversation so far with the agent's new message at the
 * end. Pure.
 */
export function operatorTalk(
  state: ReadyState,
  call: PendingCall,
): { role: 'system' | 'user' | 'assistant'; content: string }[] {
  const { agentMessages, operatorMessages, config } = state;
  const talk = [
    ...agentMessages.map(({ seq, text }) => ({ seq, role: 'user' as const, content: text })),
    // An answer is written before the message is sent, and delivered after it.
    ...operatorMessages.map(({ deliveredSeq: seq = 0, text }) => ({
      seq,
      role: 'assistant' as const,
      content: text,
    })),
  ]
    .sort((a, b) => a.seq - b.seq)
    .map(({ role, content }): Pick<ChatMessage, 'content'> & { role: 'user' | 'assistant' } => ({
      role,
      content,
    }));
  return [
    { role: 'system', content: config.operator_prompt ?? OPERATOR_PROMPT },
    ...talk.slice(1 - MAX_TALK_MESSAGES),
    { role: 'user', content: messageOf(call) ?? '' },
  ];
}
