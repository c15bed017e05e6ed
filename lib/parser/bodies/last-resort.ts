import { JSONRepairError, jsonrepair } from 'jsonrepair';
import type { JsonValue } from '../../util/json.ts';
import { type CallDraft, readCalls } from '../call-shape.ts';
import { coerceArguments } from '../coerce.ts';
import { excerpt } from '../limits.ts';
import { validateArguments } from '../validate-arguments.ts';
import type { BodyContext } from './body.ts';

/** Longest text that is handed to the library, whose running time we do not vouch for. */
const MAX_CHARS = 8_000;
const MAX_ATTEMPTS = 8;

/**
 * A marked JSON call that our own reader gave up, mended by jsonrepair. Guessing is only safe where a wrong guess shows,
 * so all of these must hold: a marker announced the call, its closer was found (so nothing is cut off), the tool was
 * offered, and the arguments are valid against its schema without a key too many.
 */
export function repairCall(context: BodyContext, at: number): { call: CallDraft; end: number } | undefined {
  const { source, tools } = context;
  const boundary = context.boundary?.(at);
  if (!boundary?.closes) return undefined;
  const end = boundary.at;
  if (end - at > MAX_CHARS || !source.claim('jsonrepair', MAX_ATTEMPTS)) return undefined;
  const written = source.text.slice(at, end).trim();
  const mended = mend(written);
  if (mended === undefined) return undefined;
  const [verdict, ...others] = readCalls(mended.value, context);
  if (verdict === undefined || !('call' in verdict) || others.length > 0) return undefined;
  const { call } = verdict;
  const schema = tools.schema(call.name);
  if (schema === undefined || Object.keys(call.arguments).length === 0) return undefined;
  // Bare words in place of an object are no arguments, even for a tool that takes one text.
  if (call.repairs.some((repair) => repair.rule === 'single-parameter')) return undefined;
  const fitted = coerceArguments(call.arguments, schema).arguments;
  if (validateArguments(fitted, { ...schema, additionalProperties: false }).length > 0) return undefined;
  const repair = { rule: 'jsonrepair', before: excerpt(written), after: excerpt(mended.text) };
  return { call: { ...call, repairs: [...call.repairs, repair] }, end };
}

function mend(written: string): { text: string; value: JsonValue } | undefined {
  try {
    const text = jsonrepair(written);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    // Text beyond repair is the expected case here, and so is nesting too deep for its recursion.
    if (error instanceof JSONRepairError || error instanceof RangeError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
