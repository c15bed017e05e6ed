import { summarizeArgs } from '../tools/summarize.ts';
import { textStart } from '../util/short-text.ts';
import type { NewEvent } from './registry.ts';
import type { RunState } from './run-state.ts';
import { sessionEndReason } from './session-end.ts';

const RESULT_CHARS = 200;

/** The lines that a session prints beside the model's text (S4, S11, S13, S21). Pure. */
export function sessionNotices(event: NewEvent, state: RunState): string[] {
  const { config } = state;
  switch (event.type) {
    case 'attempt.started':
      return [
        `Session with ${config?.model ?? ''} in ${config?.workspace ?? ''}${logPart(state)}`,
        event.system_prompt === 'built-in'
          ? 'The workspace has no SYSTEM_PROMPT.md: the built-in prompt is used.'
          : 'The system prompt is from SYSTEM_PROMPT.md.',
      ];
    case 'tool-call.started': {
      const call = state.reply?.calls.find((pending) => pending.callId === event.call_id);
      return [`[tool] ${event.tool}(${summarizeArgs(call?.arguments ?? {})})`];
    }
    case 'approval.requested':
      return [`[approval] ${event.tool}(${summarizeArgs(event.arguments)}) waits for you.`];
    case 'tool-call.ended':
    case 'tool-call.interrupted': {
      const text = JSON.stringify(event.result);
      // The ellipsis stands only when something was left out.
      return [`[result] ${text.length > RESULT_CHARS ? `${textStart(text, RESULT_CHARS)}...` : text}`];
    }
    case 'model-call.failed':
      return [`[error] ${event.error.message}`];
    case 'stop.requested':
      return ['Stopping after this turn. Stop again to end at once.'];
    case 'run.ended':
      return [
        `Session ended: ${sessionEndReason(event.result.termination_reason)} after ${state.turns.completed} completed turns${logPart(state)}`,
      ];
    default:
      return [];
  }
}

function logPart({ logPath }: RunState): string {
  return logPath === undefined ? '.' : `. Log: ${logPath}`;
}
