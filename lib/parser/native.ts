import type { JsonValue } from '../util/json.ts';
import { buildCall, type CallDraft, isObject, type RefusalDraft } from './call-shape.ts';
import { excerpt } from './limits.ts';
import type { ToolIndex } from './tool-index.ts';

export interface NativeReading {
  calls: CallDraft[];
  refusals: { draft: RefusalDraft; raw: string }[];
}

/**
 * Layer 1: the calls that the server read itself (P3). Entries without a function name are skipped, missing arguments
 * become `{}`, JSON text is parsed (P12), and names that were not offered are passed on (P16).
 */
export function readNative(toolCalls: unknown, tools: ToolIndex): NativeReading {
  const result: NativeReading = { calls: [], refusals: [] };
  if (!Array.isArray(toolCalls)) return result;
  for (const entry of toolCalls) {
    const called: unknown = isObject(entry) && isObject(entry.function) ? entry.function : entry;
    if (!isObject(called) || typeof called.name !== 'string' || called.name.trim() === '') continue;
    const given: JsonValue | undefined = called.arguments ?? called.parameters;
    const verdict = buildCall(called.name, given, { tools, strength: 'strong' });
    if ('call' in verdict) result.calls.push(verdict.call);
    else result.refusals.push({ draft: verdict.refusal, raw: excerpt(String(called.name)) });
  }
  return result;
}
