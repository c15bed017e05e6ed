import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ParseOptions, ReplyMessage, ToolCall } from '../parser/types.ts';

/** What a reply of an exploration is (X8). */
export type ExploreResponse =
  | { type: 'TOOL_CALL'; data: ToolCall[] }
  | { type: 'FINAL_REFLECTION'; data: string };

/** The layers an exploration reads calls from: bare JSON would run calls that are only quoted (K-22). */
const LAYERS = ['native', 'xml'] as const;

/**
 * Classes a reply as calls or as the final reflection of its cycle. A reply without calls, also one that is empty or has no
 * message at all, is a reflection with the text there is (X8, K-28). Pure; never throws.
 *
 * @param response the body of a chat reply
 * @param options the tools on offer, and other layers than native calls and tags
 * @returns the calls, or the text of the reflection, which may be empty
 * @example parseOllamaResponse({}) // { type: 'FINAL_REFLECTION', data: '' }
 */
export function parseOllamaResponse(
  response: { message?: ReplyMessage | null } | null | undefined,
  options: ParseOptions = {},
): ExploreResponse {
  const parsed = parseToolCalls(response?.message ?? {}, { layers: LAYERS, ...options });
  return parsed.type === 'tool_calls'
    ? { type: 'TOOL_CALL', data: parsed.calls }
    : { type: 'FINAL_REFLECTION', data: parsed.content };
}
