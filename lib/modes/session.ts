import type { PendingReply } from '../events/run-state.ts';
import { conversationFull, endWhenConversationFull } from '../policies/conversation-full.ts';
import { handOver } from '../policies/handover.ts';
import { deliverMessages } from '../policies/operator-messages.ts';
import type { ReadyState, Verdict } from '../policies/rule.ts';
import { swallowedOf } from '../policies/swallowed-tokens.ts';
import {
  endOnEmptyTurns,
  endTurnAfterCalls,
  pauseBetweenTurns,
  promptAgain,
  REPROMPT,
  waitForMessage,
} from '../policies/turns.ts';
import { attachedImages } from './build-messages.ts';
import type { Mode } from './mode.ts';
import { buildSystemPrompt, toolDescriptions, toolsPart } from './session-prompt.ts';
import { canStreamWithTools } from './streaming.ts';

/**
 * A conversation: after each answer the session waits for the operator, or continues by itself on autopilot, until it
 * is stopped, full or fails (S17).
 */
export const sessionMode: Mode = {
  name: 'session',
  usesTools: true,
  shortens: false,
  offer: (available) => available,
  streams: (state) => state.config.live_tokens && canStreamWithTools(state),
  open(state, { attempt, tools, workspacePrompt, logPath }) {
    const { config } = state;
    const prompt = buildSystemPrompt(workspacePrompt, config.model, {
      tools: toolDescriptions(tools),
      autopilot: state.autopilot.on,
    });
    const first = config.task === '' && state.autopilot.on ? REPROMPT : config.task;
    return [
      {
        type: 'attempt.started',
        attempt,
        messages: [
          { role: 'system', content: prompt.text },
          ...(first === '' ? [] : [{ role: 'user' as const, content: first, ...attachedImages(state) }]),
        ],
        tools: [...tools],
        system_prompt: prompt.source,
        ...(logPath === undefined ? {} : { log_path: logPath }),
      },
      ...(config.live_tokens && !canStreamWithTools(state)
        ? [
            {
              type: 'policy.warned' as const,
              code: 'streaming_unsupported',
              message: `Ollama ${state.preflight?.server_version} cannot stream replies with tools: text appears when a reply is complete. Update to 0.8.0 or newer.`,
            },
          ]
        : []),
    ];
  },
  toolPrompt: (tools) => toolsPart(toolDescriptions(tools)),
  betweenIterations: [handOver, endWhenConversationFull, endOnEmptyTurns, waitForMessage, pauseBetweenTurns],
  beforeIteration: [deliverMessages, promptAgain],
  beforeRound: [],
  afterRound: [endTurnAfterCalls],
  setsAside: hasNothingToKeep,
  onText: (state, broken) => endTurn(state, 'text', broken),
  onSilence: (state) => endTurn(state, 'empty', []),
  whenFull: conversationFull,
};

/** Text already shown while streaming is kept; only an empty or malformed reply is retried. */
function hasNothingToKeep(reply: PendingReply): boolean {
  return reply.calls.length === 0 && (reply.outcome === 'empty' || reply.malformed);
}

function endTurn(
  state: ReadyState,
  outcome: 'text' | 'empty',
  broken: Parameters<Mode['onText']>[1],
): Verdict {
  const swallowed = outcome === 'empty' ? swallowedOf(state) : 0;
  return {
    type: 'append',
    events: [
      ...broken,
      {
        type: 'turn.ended',
        iteration: state.iteration,
        outcome,
        ...(swallowed > 0 && { swallowed_tokens: swallowed }),
      },
    ],
  };
}
