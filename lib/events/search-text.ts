import type { JsonValue } from '../util/json.ts';
import type { AskedRequest } from './mcp-request.ts';
import { outcomeWords } from './outcome.ts';
import type { RunEvent } from './registry.ts';

/** Only the start and end of longer texts are searchable. */
const HEAD_CHARS = 12_000;
const TAIL_CHARS = 4000;

/**
 * The searchable text of an event: titles, tasks, replies, call arguments and results, and messages of operator,
 * agent and Loupe. At most 16,000 UTF-16 units; empty for events whose text is already part of another event. Pure.
 */
export function searchText(event: RunEvent): string {
  const texts = textsOf(event).filter((text) => text !== undefined && text !== '');
  const text = texts.join('\n');
  if (text.length <= HEAD_CHARS + TAIL_CHARS) return text;
  return `${text.slice(0, HEAD_CHARS)}\n…\n${text.slice(-TAIL_CHARS)}`;
}

function textsOf(event: RunEvent): (string | undefined)[] {
  switch (event.type) {
    case 'run.created': {
      const { title, task, model, mode, workspace } = event.config;
      return [title, task, model, mode, workspace];
    }
    case 'reply.parsed':
      return [
        event.text,
        event.thinking,
        ...event.calls.flatMap((call) => [call.name, ...stringsIn(call.arguments)]),
        ...event.refusals.map(({ raw }) => raw),
      ];
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return [event.tool, ...stringsIn(event.result.output), event.result.note];
    case 'mcp-request.received':
      return requestTexts(event.request);
    case 'mcp-request.answered':
      return stringsIn(event.content ?? null);
    case 'mcp-sampling.ended':
      return [event.text, event.error?.message];
    case 'mcp-messages.logged':
      return event.lines;
    case 'approval.decided':
      return event.decision === 'denied'
        ? [event.tool, event.reason]
        : [event.tool, ...stringsIn(event.arguments ?? null)];
    case 'model-call.failed':
      return [event.error.message, event.partial_text, event.partial_thinking, event.raw];
    case 'verification.checked':
      return [
        ...event.checks.flatMap(({ check, output }) => [...stringsIn(check), output]),
        ...(event.opinions ?? []).flatMap(({ check, reason }) => [...stringsIn(check), reason]),
      ];
    case 'handover.ended':
    case 'harness.prompted':
    case 'operator.messaged':
    case 'agent.messaged':
    case 'cycle.reflected':
    case 'policy.nudged':
      return [event.text];
    case 'diversity.advised':
      return [event.feedback];
    case 'answer.checked':
      return [event.problem];
    case 'policy.retried':
    case 'policy.warned':
      return [event.message];
    case 'server-wait.started':
      return [event.error.message];
    case 'run.ended':
      return [
        event.result.termination_reason,
        event.outcome && outcomeWords(event.outcome).label,
        event.message,
        event.result.error?.message,
      ];
    // Their text is part of the reply, call or ending they belong to.
    case 'run.started':
    case 'run.resumed':
    case 'run.forked':
    case 'preflight.checked':
    case 'model.load-started':
    case 'model.loaded':
    case 'server-wait.ended':
    case 'attempt.started':
    case 'iteration.started':
    case 'model-call.started':
    case 'model-call.ended':
    case 'approval.requested':
    case 'tool-call.started':
    case 'mcp-sampling.started':
    case 'policy.compacted':
    case 'budget.checked':
    case 'verification.started':
    case 'turn.ended':
    case 'turn.paused':
    case 'message.awaited':
    case 'autopilot.switched':
    case 'cycle.started':
    case 'memory.changed':
    case 'operator.delivered':
    case 'handover.started':
    case 'operator-call.started':
    case 'operator-call.ended':
    case 'stop.requested':
      return [];
  }
}

function requestTexts(request: AskedRequest): (string | undefined)[] {
  if (request.kind === 'sampling') return [request.system, ...request.messages.map(({ text }) => text)];
  if (request.kind === 'url') return [request.message, request.url];
  return [
    request.message,
    ...request.fields.flatMap(({ title, name, description }) => [title ?? name, description]),
  ];
}

/** All strings in a value, at any depth, in order. */
function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => (inner === undefined ? [] : stringsIn(inner)));
}
