import type { ParsedReply } from '../parser/types.ts';
import { shortText } from '../util/short-text.ts';

const MAX_RAW_CHARS = 400;

/**
 * Removes the last call of a truncated reply if the token limit may have cut it off. Such a call can look complete,
 * because the parser adds missing closers, but lack its last arguments, so it is refused (T21). Native calls arrive
 * complete from the server, and calls before the end of the text are complete by position.
 */
export function dropCutCall(parsed: ParsedReply, content: string): ParsedReply {
  if (parsed.type !== 'tool_calls') return parsed;
  const last = parsed.calls.length - 1;
  const span = parsed.origins[last]?.span;
  if (span?.in !== 'content' || span.end < content.trimEnd().length) return parsed;
  const { type: _, calls, ...details } = parsed;
  const kept = {
    ...details,
    origins: parsed.origins.slice(0, last),
    repairs: parsed.repairs.filter((repair) => repair.call !== last),
    coercions: parsed.coercions.filter((coercion) => coercion.call !== last),
    refusals: [
      ...parsed.refusals,
      {
        reason: 'cut' as const,
        raw: shortText(content.slice(span.start, span.end), MAX_RAW_CHARS),
        name: calls[last]?.name,
        span,
        message: 'The reply was cut off within this call.',
      },
    ],
  };
  if (last > 0) return { ...kept, type: 'tool_calls', calls: calls.slice(0, last) };
  const none = { ...kept, layer: 'none' as const, format: undefined, malformed: true as const };
  // A call in an open code block leaves only the block's first line, which is not content.
  return parsed.visibleText.replace(/```\w*/g, '').trim() === ''
    ? { ...none, type: 'empty', content: '' }
    : { ...none, type: 'final_answer', content: parsed.visibleText };
}
