import type { JsonValue } from '../../util/json.ts';
import { isObject, readCalls, type ShapeContext, type Verdict } from '../call-shape.ts';
import type { JsonReading } from '../json/json-reader.ts';
import { skipSpace } from '../source.ts';
import type { BodyContext, BodyReading } from './body.ts';
import { repairCall } from './last-resort.ts';

/** Where the next object of a list begins, once one of them could not be read. */
const NEXT_ITEM = /\}\s{0,20},?\s{0,20}(?=\{)/g;
const MAX_ITEMS_AFTER_FAILURE = 1000;

/**
 * A JSON object or list of objects that name a tool: `{"name": "f", "arguments": {…}}`.
 *
 * Behind a marker everything is reported. Without one (`weak`) whole JSON that is no call has no verdicts, and what is
 * not even JSON is `undefined`.
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

/** Reads a value; behind a marker, where it is surely meant to be one, quotes inside text may be unescaped too. */
export function readTolerantly(context: BodyContext, at: number): JsonReading {
  const strong = context.strength === 'strong';
  const reading = context.source.readJson(at, { closeAtMarker: strong });
  if (reading.ok || reading.reason !== 'malformed' || !strong || context.source.exhausted) return reading;
  const limit = context.boundary?.(at)?.at;
  const loose = context.source.readJsonAgain(at, { closeAtMarker: true, looseQuotes: true, limit });
  return loose.ok || loose.reason === 'cut' ? loose : reading;
}

function wholeBody(context: BodyContext, at: number, reading: JsonReading & { ok: true }): BodyReading {
  const { text } = context.source;
  const truncated = context.truncated || (!reading.closed && reading.end >= text.length);
  const found = readCalls(reading.value, { ...context, truncated, unsafeKey: reading.unsafeKey });
  const verdicts = found.map((verdict) => withReading(verdict, reading));
  if (verdicts.length === 0 && context.strength === 'strong') {
    verdicts.push(refusal('malformed', 'The marked text names no tool.'));
  }
  // A bracket too many is common, and says nothing about the call.
  let end = reading.end;
  while (verdicts.some((verdict) => 'call' in verdict) && (text[end] === '}' || text[end] === ']')) end++;
  return { kind: 'json', end: Math.max(end, at + 1), verdicts };
}

function withReading(verdict: Verdict, reading: JsonReading & { ok: true }): Verdict {
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
    // Behind a marker the list goes on behind a broken item; elsewhere it may as well be no list.
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
  if (context.strength === 'weak' && !namesOfferedTool(reading.partial, context)) return undefined;
  if (context.strength === 'strong' && reading.reason === 'malformed') {
    const mended = repairCall(context, at);
    if (mended) return { kind: 'json', end: mended.end, verdicts: [{ call: mended.call }] };
  }
  // What opens where the call broke off is a piece of it, not a call of its own.
  const opens = '{['.includes(context.source.text[reading.at] ?? ' ');
  const end = Math.max(opens ? reading.at + 1 : reading.at, at + 1);
  return { kind: 'json', end, verdicts: [brokenRefusal(context, reading)] };
}

function brokenRefusal(context: ShapeContext, reading: JsonReading & { ok: false }): Verdict {
  const name = partialName(reading.partial);
  const what = name === undefined ? 'The call' : `The call of ${context.tools.resolve(name)}`;
  if (reading.reason === 'cut') return refusal('cut', `${what} is cut off.`, name);
  if (reading.reason === 'too-deep') return refusal('too-deep', `${what} is nested too deep.`, name);
  return refusal('malformed', `${what} is not valid JSON (stopped at offset ${reading.at}).`, name);
}

function namesOfferedTool(partial: JsonValue | undefined, context: ShapeContext): boolean {
  const name = partialName(partial);
  return name !== undefined && context.tools.offered(name) !== undefined;
}

function partialName(partial: JsonValue | undefined): string | undefined {
  const object = Array.isArray(partial) ? partial[partial.length - 1] : partial;
  if (!isObject(object)) return undefined;
  const name = object.name ?? object.tool_name ?? object.tool ?? object.function;
  return typeof name === 'string' ? name : undefined;
}

export function refusal(
  reason: 'malformed' | 'cut' | 'too-deep' | 'unsafe-key' | 'name-not-offered',
  message: string,
  name?: string,
): Verdict {
  return { refusal: { reason, message, name } };
}
