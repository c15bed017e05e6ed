import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../errors/app-error.ts';
import { contentProblems } from '../events/entered-content.ts';
import type { EnteredContent, McpRequestAction } from '../events/mcp-request.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';

/** An operator's answer to a request of an MCP server, as received from the API. */
export interface ServerRequestAnswer {
  requestId: string;
  action: McpRequestAction;
  /** For an accepted form. */
  content?: EnteredContent;
}

/**
 * The event that records an operator's answer to a server; none if the same answer is already recorded. Pure.
 *
 * @throws {AppError} `mcp_request_not_found`, `already_answered`, `run_ended`; `invalid_request` for content that does not
 *   fit the form
 */
export function answerServerRequest(state: RunState, answer: ServerRequestAnswer): NewEvent[] {
  const { open, answered } = state.mcpRequests;
  const { requestId, action } = answer;
  if (answered?.request_id === requestId) {
    if (answered.action === action && isDeepStrictEqual(answered.content, contentOf(answer))) return [];
    throw new AppError({
      code: 'already_answered',
      message: 'This request of the server was already answered.',
      hint: 'An answer is final. To keep the call from continuing, stop the run.',
    });
  }
  if (open?.request_id !== requestId) {
    throw new AppError({
      code: 'mcp_request_not_found',
      message: `No server waits for an answer to "${requestId.slice(0, 100)}" in this run.`,
      hint: 'Use the request_id of the last mcp-request.received event.',
    });
  }
  if (state.ended || state.stop) {
    throw new AppError({
      code: 'run_ended',
      message: 'The run has ended or is stopping, so the server gets no answer.',
    });
  }
  return [{ type: 'mcp-request.answered', ...answeredBy(open, answer) }];
}

function answeredBy(
  { request, request_id, call_id }: EventOf<'mcp-request.received'>,
  answer: ServerRequestAnswer,
): Omit<EventOf<'mcp-request.answered'>, 'run_id' | 'seq' | 'at' | 'type'> {
  const content = contentOf(answer);
  const base = { request_id, call_id, action: answer.action, by: 'operator' as const };
  if (request.kind !== 'form') {
    if (content && Object.keys(content).length > 0) throw refused('content: This request has no form.');
    return base;
  }
  if (answer.action !== 'accept') return base;
  const entered = content ?? {};
  const problems = Object.entries(contentProblems(request.fields, entered));
  if (problems.length > 0) {
    throw refused(`content: ${problems.map(([name, problem]) => `${name}: ${problem}`).join(' ')}`);
  }
  return { ...base, content: entered };
}

/** An answer that is not accepted has no content. */
function contentOf({ action, content }: ServerRequestAnswer): EnteredContent | undefined {
  return action === 'accept' ? content : undefined;
}

function refused(message: string): AppError {
  return new AppError({ code: 'invalid_request', message });
}
