import { isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { textStart } from '../util/short-text.ts';
import { type JsonReading, type TextRepair, textRepair } from './json/json-cursor.ts';
import { readJson, UNSAFE_KEYS } from './json/json-reader.ts';
import { MAX_ARGUMENT_VALUES, MAX_ENCODINGS, MAX_EXCERPT_CHARS, MAX_NAME_CHARS } from './limits.ts';
import type { BodyContext, ShapeContext, Verdict } from './reading.ts';
import { allowedTypes } from './schema-types.ts';
import type { ParameterSchema, Refusal } from './types.ts';

const NAME_KEYS = ['name', 'function', 'tool', 'tool_name', 'function_name', 'action', 'recipient_name'];
const ARGUMENT_KEYS = [
  'arguments',
  'parameters',
  'args',
  'input',
  'params',
  'action_input',
  'tool_input',
  'tool_args',
  'tool_arguments',
  'tool_parameters',
  'function_arguments',
  'function_args',
  'kwargs',
];
/** Keys under which a model may wrap the arguments once more. */
const WRAPPER_KEYS = new Set([...ARGUMENT_KEYS, 'properties']);
/** Keys that may accompany a name without arguments. */
const CALL_META_KEYS = new Set(['id', 'type', 'index', 'call_id', 'tool_call_id']);
/** Keys that distinguish a tool's result from a call to it. */
const RESULT_KEYS = ['result', 'results', 'output', 'content', 'response', 'tool_result', 'tool_response'];
const LIST_KEYS = ['tool_calls', 'function_calls', 'tool_uses', 'calls'];
const HOLDER_KEYS = [
  'tool_call',
  'function_call',
  'tool_use',
  'function',
  'call',
  'tool',
  'action',
  'command',
];
const MAX_HOLDERS = 3;

/**
 * Finds the calls in a JSON value: one verdict for each call, `[]` when the value is other data.
 *
 * Accepts the aliases that models use (`tool`/`args`, `action`/`action_input`, `{"tool_calls": […]}`, `{"f": {…}}`),
 * and distinguishes calls from tool definitions and results.
 */
export function readCalls(value: JsonValue, context: ShapeContext): Verdict[] {
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((item) => (isRecord(item) ? readCall(item, context, 0) : []));
}

function readCall(object: JsonObject, context: ShapeContext, depth: number): Verdict[] {
  const nameKey = nameKeyOf(object);
  if (nameKey === undefined) return readHolder(object, context, depth);
  const written = own(object, nameKey);
  if (typeof written !== 'string' || written.trim() === '') {
    return context.strength === 'strong' ? [refusal('malformed', 'The call has no tool name.')] : [];
  }
  const argumentsKey = ARGUMENT_KEYS.find((key) => key !== nameKey && Object.hasOwn(object, key));
  if (context.strength === 'weak' && context.tools.offered(written) === undefined) {
    return argumentsKey === undefined || isDefinition(own(object, argumentsKey)) ? [] : [notOffered(written)];
  }
  if (looksLikeResult(object, argumentsKey)) {
    return [refusal('result-echo', `This repeats a result of ${written}; it does not call it.`, written)];
  }
  if (argumentsKey === undefined) return withoutArguments(object, { nameKey, written }, context);
  return [buildCall(written, own(object, argumentsKey), context)];
}

function nameKeyOf(object: JsonObject): string | undefined {
  return NAME_KEYS.find((key) => typeof own(object, key) === 'string');
}

/** The name in an object that could not be read to its end. */
export function partialName(partial: JsonValue | undefined): string | undefined {
  const object = Array.isArray(partial) ? partial[partial.length - 1] : partial;
  if (!isRecord(object)) return undefined;
  const name = own(object, nameKeyOf(object) ?? '');
  return typeof name === 'string' ? name : undefined;
}

/** An object without a name: it may hold calls, or be the `{"read_file": {…}}` alias. */
function readHolder(object: JsonObject, context: ShapeContext, depth: number): Verdict[] {
  if (depth >= MAX_HOLDERS) return [];
  for (const key of LIST_KEYS) {
    const list = own(object, key);
    if (!Array.isArray(list)) continue;
    return list.flatMap((item) => (isRecord(item) ? readCall(item, context, depth + 1) : []));
  }
  for (const key of HOLDER_KEYS) {
    const held = own(object, key);
    if (isRecord(held)) return readCall(held, context, depth + 1);
  }
  const [key, ...others] = Object.keys(object);
  if (key === undefined || others.length > 0) return [];
  const value = own(object, key);
  const offered = context.tools.offered(key);
  if (offered === undefined || !isRecord(value)) return [];
  const isCall = context.strength === 'strong' || fitsSchema(value, context.tools.schema(offered));
  return isCall ? [buildCall(key, value, context)] : [];
}

function withoutArguments(
  object: JsonObject,
  { nameKey, written }: { nameKey: string; written: string },
  context: ShapeContext,
): Verdict[] {
  const others = Object.keys(object).filter((key) => key !== nameKey && !CALL_META_KEYS.has(key));
  if (others.length === 0) {
    if (context.truncated)
      return [refusal('cut', `The call of ${written} is cut off before its arguments.`, written)];
    return [buildCall(written, {}, context)];
  }
  if (context.strength === 'weak') return [];
  const rest: JsonObject = {};
  for (const key of others) rest[key] = own(object, key) ?? null;
  const offered = context.tools.offered(written);
  const fits = offered !== undefined && fitsSchema(rest, context.tools.schema(offered));
  return [buildCall(written, fits ? rest : {}, context)];
}

/**
 * Builds a call from a name and its arguments: an object, JSON text of one, an object in a list, or nothing (P3, P12).
 */
export function buildCall(written: string, given: JsonValue | undefined, context: ShapeContext): Verdict {
  const name = nameByArguments(written, given, context) ?? context.tools.resolve(written);
  if (name === '' || name.length > MAX_NAME_CHARS || /[\n\r<>{}]/.test(name)) {
    return refusal('malformed', 'The call has no usable tool name.', textStart(written, MAX_EXCERPT_CHARS));
  }
  if (isDefinition(given) && !isDefinitionTaker(context.tools.schema(name))) {
    return refusal('definition-echo', `This repeats the definition of ${name}; it does not call it.`, name);
  }
  const decoded = decodeArguments(given, context.tools.schema(name));
  if (decoded === undefined) {
    return refusal('malformed', `The arguments of ${name} are not an object with named values.`, name);
  }
  if (hasMoreValues(decoded.value, MAX_ARGUMENT_VALUES)) {
    const most = formatCount(MAX_ARGUMENT_VALUES);
    return refusal('too-large', `The arguments of ${name} have more than ${most} values.`, name);
  }
  const inside = context.vetted ? undefined : findUnsafeKey(decoded.value);
  const unsafe = context.unsafeKey ?? decoded.unsafeKey ?? inside;
  if (unsafe !== undefined) {
    return refusal(
      'unsafe-key',
      `The arguments of ${name} contain the key "${unsafe}", which is not accepted.`,
      name,
    );
  }
  const args = unwrapped(decoded.value, context.tools.schema(name));
  const repairs = args === decoded.value ? decoded.repairs : [...decoded.repairs, unwrapping(decoded.value)];
  return { call: { name, arguments: args, repairs } };
}

/** Builds a call from a known name and the JSON arguments at an offset. */
export function readJsonArguments(
  context: BodyContext,
  { name, at, reading = readTolerantly(context, at) }: { name: string; at: number; reading?: JsonReading },
): { verdict: Verdict; end: number } {
  if (!reading.ok) {
    const what = `The arguments of ${context.tools.resolve(name)}`;
    const problem =
      reading.reason === 'cut' ? 'are cut off' : `could not be read (stopped at offset ${reading.at})`;
    return {
      verdict: refusal(reading.reason, `${what} ${problem}.`, name),
      end: Math.max(reading.at, at + 1),
    };
  }
  const verdict = buildCall(name, reading.value, {
    ...context,
    unsafeKey: reading.unsafeKey,
    vetted: true,
  });
  if ('call' in verdict) verdict.call.repairs.unshift(...reading.repairs);
  return { verdict, end: reading.end };
}

/** Reads a JSON value. After a marker, where a call is certain to be meant, it also accepts unescaped quotes in strings. */
export function readTolerantly(context: BodyContext, at: number): JsonReading {
  const strong = context.strength === 'strong';
  const reading = context.source.readJson(at, { closeAtMarker: strong });
  if (reading.ok || reading.reason !== 'malformed' || !strong || context.source.exhausted) return reading;
  const limit = context.boundary?.(at)?.at;
  const loose = context.source.readJsonAgain(at, { closeAtMarker: true, looseQuotes: true, limit });
  return loose.ok || loose.reason === 'cut' ? loose : reading;
}

/** Kimi sometimes writes only the number of the call. The tool is then the only one that takes these arguments. */
function nameByArguments(
  written: string,
  given: JsonValue | undefined,
  { tools, strength }: ShapeContext,
): string | undefined {
  const isNumber = strength === 'strong' && /^\s*\d{1,10}\s*$/.test(written);
  if (!isNumber || !isRecord(given) || Object.keys(given).length === 0) return undefined;
  return tools.onlyOne((schema) => fitsSchema(given, schema));
}

/** Removes a wrapper around the arguments: `{"arguments": {"path": "a"}}` for a tool that takes `path`. */
function unwrapped(given: JsonObject, schema: ParameterSchema | undefined): JsonObject {
  const [key, ...others] = Object.keys(given);
  if (key === undefined || others.length > 0 || !WRAPPER_KEYS.has(key)) return given;
  if (schema?.properties === undefined || Object.hasOwn(schema.properties, key)) return given;
  const inner = own(given, key);
  const value = typeof inner === 'string' ? wholeJson(inner) : inner;
  return isRecord(value) && Object.keys(value).length > 0 && fitsSchema(value, schema) ? value : given;
}

function wholeJson(text: string): JsonValue | undefined {
  const trimmed = text.trim();
  const reading = trimmed.startsWith('{') ? readJson(trimmed, 0) : undefined;
  const whole = reading?.ok && reading.closed && reading.end === trimmed.length && !reading.unsafeKey;
  return whole ? reading.value : undefined;
}

function unwrapping(given: JsonObject): TextRepair {
  const [key = ''] = Object.keys(given);
  return { rule: 'wrapped-arguments', before: `{"${key}": {…}}`, after: '{…}' };
}

interface DecodedArguments {
  value: JsonObject;
  repairs: TextRepair[];
  unsafeKey?: string;
}

function decodeArguments(
  given: JsonValue | undefined,
  schema: ParameterSchema | undefined,
): DecodedArguments | undefined {
  const repairs: TextRepair[] = [];
  let unsafeKey: string | undefined;
  let value = given ?? {};
  for (let round = 0; round < MAX_ENCODINGS && typeof value === 'string'; round++) {
    const text: string = value.trim();
    if (text === '') return { value: {}, repairs };
    const reading = readJson(text, 0);
    if (!reading.ok || !reading.closed || text.slice(reading.end).trim() !== '') {
      return singleParameter(value, schema, repairs);
    }
    repairs.push(...reading.repairs);
    if (round > 0) repairs.push(textRepair('double-encoded', text, 'parsed'));
    unsafeKey ??= reading.unsafeKey;
    value = reading.value ?? {};
  }
  // A list with one object stands for that object, an empty list for no arguments.
  if (Array.isArray(value) && value.length <= 1) value = value[0] ?? {};
  return isRecord(value) ? { value, repairs, unsafeKey } : undefined;
}

/** Plain text for a tool with a single text parameter: `"arguments": "cats"` for `search(query)`. */
function singleParameter(
  text: string,
  schema: ParameterSchema | undefined,
  repairs: TextRepair[],
): DecodedArguments | undefined {
  if (/^\s*[{[]/.test(text)) return undefined;
  const key = soleTextParameter(schema);
  if (key === undefined) return undefined;
  repairs.push(textRepair('single-parameter', text, JSON.stringify({ [key]: text })));
  return { value: { [key]: text }, repairs };
}

/** The tool's only text parameter among those not given yet; `undefined` when there are none or several. */
export function soleTextParameter(
  schema: ParameterSchema | undefined,
  given: JsonObject = {},
): string | undefined {
  const properties = schema?.properties ?? {};
  const names = Object.keys(properties).filter((name) => !Object.hasOwn(given, name));
  const required = (schema?.required ?? []).filter((name) => !Object.hasOwn(given, name));
  const texts = (required.length > 0 ? required : names).filter((name) => isText(properties[name]));
  const [key] = texts;
  const isSole = texts.length === 1 && (required.length <= 1 || names.length === 1);
  return isSole && key !== undefined && !UNSAFE_KEYS.has(key) ? key : undefined;
}

function isText(schema: ParameterSchema | undefined): boolean {
  const types = schema ? allowedTypes(schema) : [];
  return types.length === 1 && types[0] === 'string';
}

function looksLikeResult(object: JsonObject, argumentsKey: string | undefined): boolean {
  if (object.role === 'tool' || object.type === 'tool_result' || object.type === 'function_call_output')
    return true;
  if (argumentsKey !== undefined && argumentsKey !== 'input') return false;
  return RESULT_KEYS.some((key) => Object.hasOwn(object, key));
}

/** Whether a value is a JSON schema of parameters rather than arguments. */
function isDefinition(value: JsonValue | undefined): boolean {
  return isRecord(value) && value.type === 'object' && isRecord(value.properties);
}

function isDefinitionTaker(schema: ParameterSchema | undefined): boolean {
  const properties = schema?.properties ?? {};
  return Object.hasOwn(properties, 'type') && Object.hasOwn(properties, 'properties');
}

/** Whether all keys are parameters of the tool and no required one is missing. */
export function fitsSchema(value: JsonObject, schema: ParameterSchema | undefined): boolean {
  const properties = schema?.properties ?? {};
  const known = Object.keys(value).every((key) => Object.hasOwn(properties, key));
  return known && (schema?.required ?? []).every((key) => Object.hasOwn(value, key));
}

/**
 * Whether an object that was cut off is a call without a `name`: one that would have followed its arguments
 * (`{"arguments": {"path": …`), or a tool's name as the key (`{"read_file": {"path": …`). What arrived must be parameters
 * of an offered tool.
 */
export function isCutCall(value: JsonValue | undefined, { tools }: ShapeContext): boolean {
  const object = Array.isArray(value) ? value[value.length - 1] : value;
  if (!isRecord(object) || nameKeyOf(object) !== undefined) return false;
  const given = ARGUMENT_KEYS.map((key) => own(object, key)).find(isRecord);
  if (tools.some((schema) => namesParameters(given, schema))) return true;
  const [key = '', ...others] = Object.keys(object);
  const offered = others.length === 0 ? tools.offered(key) : undefined;
  return offered !== undefined && namesParameters(own(object, key), tools.schema(offered));
}

/** Whether a value has keys and all of them are parameters of the tool. Required ones may be missing. */
export function namesParameters(value: JsonValue | undefined, schema: ParameterSchema | undefined): boolean {
  return isRecord(value) && Object.keys(value).length > 0 && fitsSchema(value, { ...schema, required: [] });
}

/** Iterative, since native arguments may be nested as deeply as the server allows. */
function findUnsafeKey(value: JsonObject): string | undefined {
  const pending: JsonValue[] = [value];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (item === null || typeof item !== 'object') continue;
    if (!Array.isArray(item)) {
      const unsafe = Object.keys(item).find((key) => UNSAFE_KEYS.has(key));
      if (unsafe !== undefined) return unsafe;
    }
    for (const inner of Object.values(item)) pending.push(inner);
  }
  return undefined;
}

/** Whether a value has more than this many values inside, without the lists and objects around them. */
function hasMoreValues(value: JsonValue, limit: number): boolean {
  const pending = [value];
  let count = 0;
  for (let item = pending.pop(); item !== undefined && count <= limit; item = pending.pop()) {
    const inner = typeof item === 'object' && item !== null ? Object.values(item) : [];
    if (inner.length === 0) count += 1;
    for (const each of inner) pending.push(each);
  }
  return count > limit;
}

function notOffered(written: string): Verdict {
  const name = textStart(written, MAX_EXCERPT_CHARS);
  return refusal('name-not-offered', `${name} is not among the offered tools.`, name);
}

export function refusal(reason: Refusal['reason'], message: string, name?: string): Verdict {
  return { refusal: { reason, message, name } };
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
