import type { ForkEdit } from '../../../events/fork.ts';
import type { AskedRequest } from '../../../events/mcp-request.ts';
import type { EventOf } from '../../../events/registry.ts';
import { WITHHELD } from '../../../events/share-scopes.ts';
import type { Opinion } from '../../../events/verification.ts';

/** A warning about a cut prompt ends with the start of the lost messages (OL2). */
export function withoutExcerpt(message: string): string {
  return message.split(' Most likely lost', 1)[0] ?? '';
}

type ToolResult = EventOf<'tool-call.ended'>['result'];
type Message = EventOf<'attempt.started'>['messages'][number];

export function withheldResult(result: ToolResult): ToolResult {
  const { note: _note, ...rest } = result;
  return rest.success ? { ...rest, output: WITHHELD } : { ...rest, output: { error: WITHHELD } };
}

/** What a server asks can quote what its tool found. */
export function withheldRequest(request: AskedRequest): AskedRequest {
  switch (request.kind) {
    case 'form':
      return { kind: 'form', message: WITHHELD, fields: [] };
    case 'url':
      return { kind: 'url', message: WITHHELD, url: WITHHELD };
    case 'sampling':
      return { kind: 'sampling', messages: [], max_tokens: request.max_tokens };
  }
}

export function withheldEdit(edit: ForkEdit): ForkEdit {
  if (edit.target === 'call') return { ...edit, before: {}, after: {} };
  if (edit.target !== 'memory') return { ...edit, before: WITHHELD, after: WITHHELD };
  const { before, after } = edit;
  return {
    target: 'memory',
    key: WITHHELD,
    ...(before === undefined ? {} : { before: WITHHELD }),
    ...(after === undefined ? {} : { after: WITHHELD }),
  };
}

export function withheldMessage({ role }: Message): Message {
  return { role, content: WITHHELD };
}

/** The prompt quotes the answer, and the reply may as well. */
export function withheldOpinion({ prompt: _prompt, reply: _reply, ...opinion }: Opinion): Opinion {
  return { ...opinion, reason: WITHHELD };
}

/** The error of a reply that could not be read quotes its beginning (T6), in every message that repeats the error. */
export function withoutQuote(message: string): string {
  return message.replace(/(?<=Ollama response parse error: ).+$/s, WITHHELD);
}

export function unquotedError<Shape extends { message: string }>(error: Shape): Shape {
  return { ...error, message: withoutQuote(error.message) };
}
