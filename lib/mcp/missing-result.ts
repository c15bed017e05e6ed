import { isRecord } from '../util/json.ts';
import { cleanLine } from './clean-text.ts';
import { MAX_URI_CHARS } from './limits.ts';
import type { SecretMask } from './secrets.ts';

/** Max fields of something else than a result that are named. */
const MAX_SHOWN_FIELDS = 5;
/** Max requests for input that are described. */
const MAX_SHOWN_REQUESTS = 3;

type Given = Readonly<Record<string, unknown>>;

/**
 * What a server sent that has none of the contents of a result of a call, in a sentence; `undefined` for a result. A task,
 * or a request for input, would otherwise count as an empty success. Pure.
 */
export function missingResult(raw: Given, mask: SecretMask): string | undefined {
  const { content, structuredContent, isError, _meta, ...others } = raw;
  const isEmpty = Array.isArray(content) ? content.length === 0 : (content ?? undefined) === undefined;
  if (!isEmpty || (structuredContent ?? undefined) !== undefined || isError === true) return undefined;
  const instead = sentInstead(others, mask);
  if (instead !== undefined) return instead;
  const fields = Object.keys(others).slice(0, MAX_SHOWN_FIELDS);
  if (fields.length === 0 || content !== undefined) return undefined;
  return `It sent a result without content, but with ${cleanLine(fields.join(', '), 200, mask)}.`;
}

/**
 * The task or the request for input that a server sent instead of a result, in sentences; `undefined` for anything else.
 * Pure.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
 *   https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function sentInstead(raw: Given, mask: SecretMask): string | undefined {
  const { task = raw, inputRequests, requestState } = raw;
  if (isRecord(task) && 'taskId' in task) {
    const about = [task.status, task.statusMessage].map((text) => cleanLine(text, 200, mask)).filter(Boolean);
    const status = about.length === 0 ? '' : ` (${about.join(': ')})`;
    return `It started a task${status} instead of sending the result. Loupe does not support tasks.`;
  }
  if (inputRequests === undefined && requestState === undefined) return undefined;
  const requests = isRecord(inputRequests) ? Object.values(inputRequests) : [];
  const wanted = requests.slice(0, MAX_SHOWN_REQUESTS).map((request) => wantedWords(request, mask));
  if (requests.length > MAX_SHOWN_REQUESTS) wanted.push('more');
  const wants = wanted.length === 0 ? 'to be asked again' : wanted.join(', and ');
  return `It first wants ${wants}. It asks in a way that only protocol version 2026-07-28 has, which Loupe does not support.`;
}

function wantedWords(request: unknown, mask: SecretMask): string {
  const { method, params }: Given = isRecord(request) ? request : {};
  const { mode, message, url }: Given = isRecord(params) ? params : {};
  const said = cleanLine(message, 300, mask);
  const quoted = said === '' ? '' : ` ("${said}")`;
  switch (method) {
    case 'elicitation/create':
      return mode === 'url'
        ? `a person to open ${cleanLine(url, MAX_URI_CHARS, mask)}${quoted}`
        : `a person to fill in a form${quoted}`;
    case 'sampling/createMessage':
      return 'a reply from a model';
    case 'roots/list':
      return 'to know the folders it may use';
    default:
      return `an answer to "${cleanLine(method, 100, mask)}"`;
  }
}
