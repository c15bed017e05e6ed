import { plural } from '../util/numbers.ts';
import { textStart } from '../util/short-text.ts';
import { AGENT_PREFIX } from './agent-prefix.ts';
import { argumentsOfCall } from './call-arguments.ts';
import type { RunEvent } from './registry.ts';
import type { RunState } from './run-state.ts';
import { sessionEndReasonOf } from './session-end.ts';
import { summarize } from './summarize.ts';
import { summarizeArgs } from './tool-summaries.ts';

const RESULT_CHARS = 200;

/**
 * The lines printed alongside the model's text (S12): an agent's messages to the operator, and the notices of a
 * session. Pure.
 *
 * @param state the state after folding the event
 */
export function noticesOf(event: RunEvent, state: RunState): string[] {
  if (event.type === 'agent.messaged') return [`${AGENT_PREFIX} ${event.text}`];
  return state.config?.mode === 'session' ? sessionNotices(event, state) : [];
}

/** The notices of a session (S4, S11, S13, S21). */
function sessionNotices(event: RunEvent, state: RunState): string[] {
  const { config } = state;
  switch (event.type) {
    case 'attempt.started':
      return [
        `Session with ${config?.model ?? ''} in ${config?.workspace ?? ''}${logPart(state)}`,
        event.system_prompt === 'built-in'
          ? 'The workspace has no SYSTEM_PROMPT.md: the built-in prompt is used.'
          : 'The system prompt is from SYSTEM_PROMPT.md.',
      ];
    case 'tool-call.started':
      return [`[tool] ${event.tool}(${summarizeArgs(argumentsOfCall(state, event.call_id))})`];
    case 'approval.requested':
      return [`[approval] ${event.tool}(${summarizeArgs(event.arguments)}) waits for you.`];
    case 'mcp-request.received':
      return [`[approval] ${summarize(event)} It waits for you.`];
    case 'tool-call.ended':
    case 'tool-call.interrupted': {
      const text = JSON.stringify(event.result);
      // Add an ellipsis only if text was omitted.
      return [`[result] ${text.length > RESULT_CHARS ? `${textStart(text, RESULT_CHARS)}...` : text}`];
    }
    case 'model-call.failed':
      return [`[error] ${event.error.message}`];
    case 'stop.requested':
      return [
        event.force ? 'Stopping immediately.' : 'Stopping after this turn. Stop again to stop immediately.',
      ];
    case 'run.ended':
      return [
        `Session ended: ${sessionEndReasonOf(event.result.termination_reason)} after ${plural(state.turns.completed, 'completed turn')}${logPart(state)}`,
      ];
    default:
      return [];
  }
}

function logPart({ logPath }: RunState): string {
  return logPath === undefined ? '.' : `. Log: ${logPath}`;
}
