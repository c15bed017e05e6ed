import { durationWords } from '../../util/durations.ts';
import type { EventHandlers, EventOf } from '../registry.ts';

const ASKED: Readonly<Record<EventOf<'mcp-request.received'>['request']['kind'], string>> = {
  form: 'for input',
  url: 'to open an address',
  sampling: 'for a text from the model',
};

const ANSWERED: Readonly<Record<EventOf<'mcp-request.answered'>['action'], string>> = {
  accept: 'accepted',
  decline: 'declined',
  cancel: 'cancelled',
};

/** Calls of tools: approvals, results, and requests of MCP servers during a call. */
export const toolCalls = {
  'approval.requested': ({ tool }) => `${tool} waits for approval`,
  'approval.decided': (event) =>
    ({
      approved: `${event.tool} was approved${approvalWords(event)}`,
      edited: `${event.tool} was approved with other arguments`,
      denied: `${event.tool} was denied by the ${event.by}${event.reason ? `: ${event.reason}` : ''}`,
    })[event.decision],
  'tool-call.started': ({ tool }) => `Calling ${tool}`,
  'tool-call.ended': ({ tool, result, duration_ms }) =>
    result.success
      ? `${tool} succeeded in ${durationWords(duration_ms)}`
      : `${tool} failed: ${result.output.error}`,
  'tool-call.interrupted': ({ tool }) => `${tool} was interrupted; its outcome is unknown`,
  'mcp-request.received': ({ server, request }) =>
    `The server ${server} asks ${ASKED[request.kind]}${'message' in request ? `: ${request.message}` : ''}`,
  'mcp-request.answered': ({ action, by }) =>
    ({
      operator: `The request of the server was ${ANSWERED[action]}`,
      stop: 'The request of the server was cancelled, because the run stops',
      server: 'The server no longer waits for an answer',
    })[by],
  'mcp-sampling.started': () => 'Asking the model for the server',
  'mcp-sampling.ended': ({ error, duration_ms, text }) =>
    error
      ? `The model wrote nothing for the server: ${error.message}`
      : `The model wrote for the server in ${durationWords(duration_ms)}: ${text ?? ''}`,
  'mcp-messages.logged': ({ server, lines }) => `The server ${server} reported: ${lines.at(-1) ?? ''}`,
} satisfies Partial<EventHandlers<string>>;

/** The scope of an approval, or the earlier approval that covers the call. */
function approvalWords({ scope, standing }: EventOf<'approval.decided'>): string {
  const covered = { run: 'for this run', tool_and_folder: 'for this folder' };
  if (standing) {
    return ` ${covered[standing.scope]} at #${standing.seq}${standing.run_id === undefined ? '' : ` of ${standing.run_id}`}`;
  }
  return scope === 'run' || scope === 'tool_and_folder' ? ` ${covered[scope]}` : '';
}
