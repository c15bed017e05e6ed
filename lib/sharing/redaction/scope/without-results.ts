import type { EventOf, RunEvent } from '../../../events/registry.ts';
import { WITHHELD } from '../../../events/share-scopes.ts';
import { isRecord } from '../../../util/json.ts';
import {
  unquotedError,
  withheldEdit,
  withheldMessage,
  withheldOpinion,
  withheldRequest,
  withheldResult,
  withoutExcerpt,
} from './withheld.ts';

/** Withholds the results of tools and checks: file contents and command output. What the model says about them stays. */
export function withoutResults(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'tool-call.ended': {
      const { images: _images, ...rest } = event;
      return { ...rest, result: withheldResult(event.result) };
    }
    case 'tool-call.interrupted':
      return { ...event, result: withheldResult(event.result) };
    case 'mcp-request.received':
      return { ...event, request: withheldRequest(event.request) };
    case 'mcp-request.answered': {
      const { content: _content, ...rest } = event;
      return rest;
    }
    case 'mcp-sampling.ended': {
      const { text, error, ...rest } = event;
      return {
        ...rest,
        ...(text === undefined ? {} : { text: WITHHELD }),
        ...(error && { error: unquotedError(error) }),
      };
    }
    case 'mcp-messages.logged':
      return { ...event, lines: event.lines.map(() => WITHHELD) };
    case 'approval.requested':
    case 'tool-call.started': {
      const { file: _file, ...rest } = event;
      return rest;
    }
    case 'policy.compacted':
      return { ...event, folded: event.folded.map((fold) => ({ ...fold, content: WITHHELD })) };
    case 'verification.checked':
      return {
        ...event,
        checks: event.checks.map((check) => ({ ...check, output: WITHHELD })),
        ...(event.opinions && { opinions: event.opinions.map(withheldOpinion) }),
      };
    case 'attempt.started':
      // The prompt of a later attempt quotes check output (V6).
      return {
        ...event,
        messages: event.messages.map((message) =>
          event.attempt > 1 || message.role === 'tool' ? withheldMessage(message) : message,
        ),
      };
    case 'policy.warned':
      return event.code === 'prompt_cut' ? withoutExcerpts(event) : event;
    case 'run.forked':
      // A user message may be the prompt of a later attempt, which quotes check output (V6).
      return {
        ...event,
        edits: event.edits.map((edit) =>
          edit.target === 'message' && (edit.role === 'tool' || edit.role === 'user')
            ? withheldEdit(edit)
            : edit,
        ),
      };
    default:
      return event;
  }
}

/** A warning about a cut prompt quotes the start of the lost messages (OL2). */
function withoutExcerpts(event: EventOf<'policy.warned'>): EventOf<'policy.warned'> {
  const { detail, message } = event;
  const lost = Array.isArray(detail?.lost) ? detail.lost : [];
  return {
    ...event,
    message: withoutExcerpt(message),
    ...(detail === undefined
      ? {}
      : {
          detail: {
            ...detail,
            lost: lost.map((one) => (isRecord(one) ? { ...one, excerpt: WITHHELD } : WITHHELD)),
          },
        }),
  };
}
