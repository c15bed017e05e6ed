import { isCutCall, partialName, readCalls, readTolerantly, refusal } from '../call-shape.ts';
import { coerceArguments } from '../coerce.ts';
import { type JsonReading, textRepair } from '../json/json-cursor.ts';
import type { BodyContext, BodyReading, CallDraft, ShapeContext, Verdict } from '../reading.ts';
import { skipSpace } from '../space.ts';
import { validateArguments } from '../validate-arguments.ts';
import { repairJson } from './repair-json.ts';

/** Finds the next object of a list after one that could not be read. */
const NEXT_ITEM = /\}\s{0,20},?\s{0,20}(?=\{)/g;
const MAX_ITEMS_AFTER_FAILURE = 1000;

/** Longest text that is passed to jsonrepair, whose running time we do not control. */
const MAX_REPAIR_CHARS = 8_000;
const MAX_REPAIR_ATTEMPTS = 8;

/**
 * A JSON object or list of objects that name a tool: `{"name": "f", "arguments": {…}}`.
 *
 * After a marker everything is reported. Without one (`weak`), complete JSON without a call has no verdicts, and text that
 * is not JSON returns `undefined`.
 */
export function readJsonBody(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  const first = text[at];
  if (first !== '{' && first !== '[') return undefined;
  const reading = readTolerantly(context, at);
  if (reading.ok) return wholeBody(context, at, reading);
  if (first === '[') return itemByItem(context, at, reading);
  return brokenBody(context, at, reading);
}

function wholeBody(context: BodyContext, at: number, reading: JsonReading & { ok: true }): BodyReading {
  const { text } = context.source;
  const truncated = context.truncated || (!reading.closed && reading.end >= text.length);
  const found = readCalls(reading.value, {
    ...context,
    truncated,
    unsafeKey: reading.unsafeKey,
    vetted: true,
  });
  const verdicts = found.map((verdict) => withRepairs(verdict, reading));
  if (verdicts.length === 0 && truncated && isCutCall(reading.value, context)) {
    verdicts.push(refusal('cut', 'The call is cut off.'));
  }
  if (verdicts.length === 0 && context.strength === 'strong') {
    verdicts.push(refusal('malformed', 'The marked text names no tool.'));
  }
  // A surplus bracket is common and harmless.
  let end = reading.end;
  while (verdicts.some((verdict) => 'call' in verdict) && (text[end] === '}' || text[end] === ']')) end++;
  return { kind: 'json', end: Math.max(end, at + 1), verdicts };
}

function withRepairs(verdict: Verdict, reading: JsonReading & { ok: true }): Verdict {
  if (!('call' in verdict)) return verdict;
  const { call } = verdict;
  return { call: { ...call, repairs: [...reading.repairs, ...call.repairs] } };
}

/** A list with a broken item: its other items still count (P15). */
function itemByItem(
  context: BodyContext,
  at: number,
  whole: JsonReading & { ok: false },
): BodyReading | undefined {
  const { source } = context;
  const strong = context.strength === 'strong';
  const verdicts: Verdict[] = [];
  let end = at + 1;
  let next: number | undefined = nextItem(source.text, at + 1);
  for (let items = 0; next !== undefined && items < MAX_ITEMS_AFTER_FAILURE; items++) {
    const item = readTolerantly(context, next);
    const inCutList = { ...context, truncated: whole.reason === 'cut' };
    const body = item.ok ? wholeBody(inCutList, next, item) : brokenBody(context, next, item);
    if (body) verdicts.push(...body.verdicts);
    end = item.ok ? item.end : Math.max(item.at, next + 1);
    next = nextItem(source.text, end);
    // After a marker the list continues past a broken item. Elsewhere it may not be a list at all.
    if (!item.ok) next = strong ? (next ?? source.find(NEXT_ITEM, end)?.end) : undefined;
    if (next !== undefined && next > (context.boundary?.(at)?.at ?? source.text.length)) next = undefined;
  }
  const known = verdicts.length > 0;
  if (!known && !strong) return undefined;
  if (!known) verdicts.push(brokenRefusal(context, whole));
  return { kind: 'json', end: Math.max(end, at + 1), verdicts };
}

function nextItem(text: string, from: number): number | undefined {
  let at = skipSpace(text, from);
  if (text[at] === ',') at = skipSpace(text, at + 1);
  return text[at] === '{' ? at : undefined;
}

function brokenBody(
  context: BodyContext,
  at: number,
  reading: JsonReading & { ok: false },
): BodyReading | undefined {
  if (context.strength === 'weak' && !isOfferedCall(reading, context)) return undefined;
  if (context.strength === 'strong' && reading.reason === 'malformed') {
    const repaired = repairCall(context, at);
    if (repaired) return { kind: 'json', end: repaired.end, verdicts: [{ call: repaired.call }] };
  }
  // A bracket where reading stopped belongs to the broken call; it does not start another one.
  const opens = '{['.includes(context.source.text[reading.at] ?? ' ');
  const end = Math.max(opens ? reading.at + 1 : reading.at, at + 1);
  return { kind: 'json', end, verdicts: [brokenRefusal(context, reading)] };
}

/**
 * Repairs a marked JSON call with jsonrepair after our own reader gave up. A guess is only safe where a wrong one would be
 * noticed, so all of these must hold: a marker announced the call, its closer was found (so nothing is cut off), the tool
 * was offered, and the arguments are valid against its schema without extra keys.
 */
function repairCall(context: BodyContext, at: number): { call: CallDraft; end: number } | undefined {
  const { source, tools } = context;
  const boundary = context.boundary?.(at);
  if (!boundary?.closes) return undefined;
  const end = boundary.at;
  if (end - at > MAX_REPAIR_CHARS || !source.claim('jsonrepair', MAX_REPAIR_ATTEMPTS)) return undefined;
  const written = source.text.slice(at, end).trim();
  const repaired = repairJson(written);
  if (repaired === undefined) return undefined;
  const [verdict, ...others] = readCalls(repaired.value, context);
  if (verdict === undefined || !('call' in verdict) || others.length > 0) return undefined;
  const { call } = verdict;
  const schema = tools.schema(call.name);
  if (schema === undefined || Object.keys(call.arguments).length === 0) return undefined;
  // Plain words instead of an object are not arguments, even for a tool with a single text parameter.
  if (call.repairs.some((repair) => repair.rule === 'single-parameter')) return undefined;
  const fitted = coerceArguments(call.arguments, schema).arguments;
  if (validateArguments(fitted, { ...schema, additionalProperties: false }).length > 0) return undefined;
  const repair = textRepair('jsonrepair', written, repaired.text);
  return { call: { ...call, repairs: [...call.repairs, repair] }, end };
}

function brokenRefusal(context: ShapeContext, reading: JsonReading & { ok: false }): Verdict {
  const name = partialName(reading.partial);
  const what = name === undefined ? 'The call' : `The call of ${context.tools.resolve(name)}`;
  if (reading.reason === 'cut') return refusal('cut', `${what} is cut off.`, name);
  if (reading.reason === 'too-deep') return refusal('too-deep', `${what} is nested too deeply.`, name);
  return refusal('malformed', `${what} is not valid JSON (stopped at offset ${reading.at}).`, name);
}

function isOfferedCall({ reason, partial }: JsonReading & { ok: false }, context: ShapeContext): boolean {
  const name = partialName(partial);
  if (name !== undefined) return context.tools.offered(name) !== undefined;
  return reason === 'cut' && isCutCall(partial, context);
}
