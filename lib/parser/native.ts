import { isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { textStart } from '../util/short-text.ts';
import { readBody } from './bodies/read-body.ts';
import { buildCall, fitsSchema, readCalls } from './call-shape.ts';
import { textRepair } from './json/json-cursor.ts';
import { MAX_EXCERPT_CHARS, MAX_TEXT_CHARS } from './limits.ts';
import type { CallDraft, RefusalDraft, Verdict } from './reading.ts';
import { Source } from './source.ts';
import type { ToolIndex } from './tool-index.ts';

export interface NativeReading {
  calls: CallDraft[];
  refusals: { draft: RefusalDraft; raw: string }[];
}

/**
 * Layer 1: the calls that the server parsed (P3). Entries without a function name are skipped, missing arguments
 * become `{}`, JSON text is parsed (P12), and names that were not offered are passed on (P16).
 */
export function readNative(toolCalls: unknown, tools: ToolIndex): NativeReading {
  const result: NativeReading = { calls: [], refusals: [] };
  if (!Array.isArray(toolCalls)) return result;
  const entries: readonly JsonValue[] = toolCalls;
  for (const entry of entries) {
    const called = isRecord(entry) && isRecord(entry.function) ? entry.function : entry;
    if (!isRecord(called) || typeof called.name !== 'string' || called.name.trim() === '') continue;
    const given = called.arguments ?? called.parameters;
    for (const verdict of readEntry({ written: called.name, given }, tools)) {
      if ('call' in verdict) result.calls.push(verdict.call);
      else result.refusals.push({ draft: verdict.refusal, raw: textStart(called.name, MAX_EXCERPT_CHARS) });
    }
  }
  return result;
}

/** An entry is one call, unless the server mistook a whole text for a name. */
function readEntry(
  { written, given }: { written: string; given: JsonValue | undefined },
  tools: ToolIndex,
): Verdict[] {
  const isEmpty = given === undefined || (isRecord(given) && Object.keys(given).length === 0);
  const inside = isEmpty && tools.offered(written) === undefined ? callsInName(written, tools) : undefined;
  if (inside) return inside;
  const verdict = buildCall(written, given, { tools, strength: 'strong' });
  return [('call' in verdict && isRecord(given) && callInArguments(verdict.call, given, tools)) || verdict];
}

/** Ollama's GLM parser takes everything before the first argument tag as the name, whatever its format. */
function callsInName(written: string, tools: ToolIndex): Verdict[] | undefined {
  if (!/[{(<]/.test(written) || written.length > MAX_TEXT_CHARS) return undefined;
  const end = { at: written.length, closes: true };
  const body = readBody({ source: new Source(written), tools, strength: 'strong', boundary: () => end }, 0);
  const calls = body?.verdicts.filter((verdict) => 'call' in verdict) ?? [];
  return calls.length === 0
    ? undefined
    : calls.map(({ call }) => withRepair(call, { rule: 'call-in-name', before: written }));
}

/** Ollama's generic parser takes an object without the key `name` as the arguments: `{"tool": "f", "args": {…}}`. */
function callInArguments(call: CallDraft, given: JsonObject, tools: ToolIndex): Verdict | undefined {
  const schema = tools.schema(call.name);
  if (schema === undefined || fitsSchema(given, schema)) return undefined;
  const [verdict, ...others] = readCalls(given, { tools, strength: 'weak' });
  if (verdict === undefined || others.length > 0 || !('call' in verdict)) return undefined;
  if (verdict.call.name !== call.name) return undefined;
  return withRepair(verdict.call, { rule: 'call-in-arguments', before: JSON.stringify(given) });
}

function withRepair(
  call: CallDraft,
  { rule, before }: { rule: string; before: string },
): { call: CallDraft } {
  const after = JSON.stringify({ name: call.name, arguments: call.arguments });
  return {
    call: { ...call, repairs: [...call.repairs, textRepair(rule, before, after)] },
  };
}
