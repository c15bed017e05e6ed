import type { JsonObject, JsonValue } from '../util/json.ts';
import type { TextRepair } from './json/json-cursor.ts';
import { readJson, UNSAFE_KEYS } from './json/json-reader.ts';
import { excerpt, MAX_ENCODINGS, MAX_NAME_CHARS } from './limits.ts';
import type { ToolIndex } from './tool-index.ts';
import type { ParameterSchema, Refusal } from './types.ts';

/** A call before its arguments are fitted to the tool's schema. */
export interface CallDraft {
  name: string;
  arguments: JsonObject;
  repairs: TextRepair[];
  /** The arguments came as bare text (XML elements), so their types are unknown. */
  untyped?: boolean;
}

/** A refusal before it is known where it stood. */
export interface RefusalDraft {
  reason: Refusal['reason'];
  message: string;
  name?: string;
}

export type Verdict = { call: CallDraft } | { refusal: RefusalDraft };

/** Strong: an explicit marker announced a call. Weak: only the shape and an offered name speak for it (P16). */
export type Strength = 'strong' | 'weak';

export interface ShapeContext {
  /** A key that the reader left out of the value because it could reach a prototype. */
  unsafeKey?: string;
  /** The text ended before the value did, so what seems to be missing may have been on its way. */
  truncated?: boolean;
  tools: ToolIndex;
  strength: Strength;
}

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
/** Keys that may stand beside a name when there are no arguments. */
const CALL_META_KEYS = new Set(['id', 'type', 'index', 'call_id', 'tool_call_id']);
/** Keys that tell a tool's result from a call to it. */
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
 * What a JSON value says about calls: one verdict for each call in it, and `[]` when it is other data.
 *
 * Knows the spellings of the aliases (`tool`/`args`, `action`/`action_input`, `{"tool_calls": […]}`, `{"f": {…}}`),
 * and tells calls from definitions and results of tools.
 */
export function readCalls(value: JsonValue, context: ShapeContext): Verdict[] {
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((item) => (isObject(item) ? readCall(item, context, 0) : []));
}

function readCall(object: JsonObject, context: ShapeContext, depth: number): Verdict[] {
  const nameKey = NAME_KEYS.find((key) => typeof own(object, key) === 'string');
  if (nameKey === undefined) return readHolder(object, context, depth);
  const written = own(object, nameKey);
  if (typeof written !== 'string' || written.trim() === '') {
    return context.strength === 'strong' ? [refuse('malformed', 'The call has no tool name.')] : [];
  }
  const argumentsKey = ARGUMENT_KEYS.find((key) => key !== nameKey && Object.hasOwn(object, key));
  if (context.strength === 'weak' && context.tools.offered(written) === undefined) {
    return argumentsKey === undefined || isDefinition(own(object, argumentsKey)) ? [] : [notOffered(written)];
  }
  if (looksLikeResult(object, argumentsKey)) {
    return [refuse('result-echo', `This repeats a result of ${written}; it does not call it.`, written)];
  }
  if (argumentsKey === undefined) return withoutArguments(object, { nameKey, written }, context);
  return [buildCall(written, own(object, argumentsKey), context)];
}

/** An object without a name of its own: it may hold calls, or be the `{"read_file": {…}}` alias. */
function readHolder(object: JsonObject, context: ShapeContext, depth: number): Verdict[] {
  if (depth >= MAX_HOLDERS) return [];
  for (const key of LIST_KEYS) {
    const list = own(object, key);
    if (!Array.isArray(list)) continue;
    return list.flatMap((item) => (isObject(item) ? readCall(item, context, depth + 1) : []));
  }
  for (const key of HOLDER_KEYS) {
    const held = own(object, key);
    if (isObject(held)) return readCall(held, context, depth + 1);
  }
  const [key, ...others] = Object.keys(object);
  if (key === undefined || others.length > 0) return [];
  const value = own(object, key);
  const offered = context.tools.offered(key);
  if (offered === undefined || !isObject(value)) return [];
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
      return [refuse('cut', `The call of ${written} is cut off before its arguments.`, written)];
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
 * Makes a call of a name and what stands for its arguments: an object, JSON text of one, one in a list, or nothing
 * (P3, P12).
 */
export function buildCall(written: string, given: JsonValue | undefined, context: ShapeContext): Verdict {
  const name = context.tools.resolve(written);
  if (name === '' || name.length > MAX_NAME_CHARS || /[\n\r<>{}]/.test(name)) {
    return refuse('malformed', 'The call has no usable tool name.', excerpt(written));
  }
  if (isDefinition(given) && !isDefinitionTaker(context.tools.schema(name))) {
    return refuse('definition-echo', `This repeats the definition of ${name}; it does not call it.`, name);
  }
  const decoded = decodeArguments(given, context.tools.schema(name));
  if (decoded === undefined) {
    return refuse('malformed', `The arguments of ${name} are not an object with named values.`, name);
  }
  const unsafe = context.unsafeKey ?? decoded.unsafeKey ?? findUnsafeKey(decoded.value);
  if (unsafe !== undefined) {
    return refuse(
      'unsafe-key',
      `The arguments of ${name} hold the key "${unsafe}", which is not accepted.`,
      name,
    );
  }
  return { call: { name, arguments: decoded.value, repairs: decoded.repairs } };
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
    if (round > 0) repairs.push({ rule: 'double-encoded', before: excerpt(text), after: 'parsed' });
    unsafeKey ??= reading.unsafeKey;
    value = reading.value ?? {};
  }
  // A list of one object is that object, an empty list no arguments.
  if (Array.isArray(value) && value.length <= 1) value = value[0] ?? {};
  return isObject(value) ? { value, repairs, unsafeKey } : undefined;
}

/** Text for a tool that takes one text: `"arguments": "cats"` for `search(query)`. */
function singleParameter(
  text: string,
  schema: ParameterSchema | undefined,
  repairs: TextRepair[],
): DecodedArguments | undefined {
  if (/^\s*[{[]/.test(text)) return undefined;
  const key = soleTextParameter(schema);
  if (key === undefined) return undefined;
  repairs.push({
    rule: 'single-parameter',
    before: excerpt(text),
    after: excerpt(JSON.stringify({ [key]: text })),
  });
  return { value: { [key]: text }, repairs };
}

/** The name of a tool's one text parameter beside those given, when it requires or takes one only. */
export function soleTextParameter(
  schema: ParameterSchema | undefined,
  given: JsonObject = {},
): string | undefined {
  const properties = schema?.properties ?? {};
  const names = Object.keys(properties).filter((name) => !Object.hasOwn(given, name));
  const required = (schema?.required ?? []).filter((name) => !Object.hasOwn(given, name));
  const texts = (required.length > 0 ? required : names).filter(
    (name) => properties[name]?.type === 'string',
  );
  const [key] = texts;
  const isSole = texts.length === 1 && (required.length <= 1 || names.length === 1);
  return isSole && key !== undefined && !UNSAFE_KEYS.has(key) ? key : undefined;
}

function looksLikeResult(object: JsonObject, argumentsKey: string | undefined): boolean {
  if (object.role === 'tool' || object.type === 'tool_result' || object.type === 'function_call_output')
    return true;
  if (argumentsKey !== undefined && argumentsKey !== 'input') return false;
  return RESULT_KEYS.some((key) => Object.hasOwn(object, key));
}

/** Whether this is a JSON schema of parameters rather than values for them. */
function isDefinition(value: JsonValue | undefined): boolean {
  return isObject(value) && value.type === 'object' && isObject(value.properties);
}

function isDefinitionTaker(schema: ParameterSchema | undefined): boolean {
  const properties = schema?.properties ?? {};
  return Object.hasOwn(properties, 'type') && Object.hasOwn(properties, 'properties');
}

/** Whether the keys are parameters of the tool, none missing. A tool without parameters takes none. */
export function fitsSchema(value: JsonObject, schema: ParameterSchema | undefined): boolean {
  const properties = schema?.properties ?? {};
  const known = Object.keys(value).every((key) => Object.hasOwn(properties, key));
  return known && (schema?.required ?? []).every((key) => Object.hasOwn(value, key));
}

/** Walks without recursion: native arguments may be nested as deep as the server allowed. */
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

function notOffered(written: string): Verdict {
  return refuse('name-not-offered', `${excerpt(written)} is not among the offered tools.`, excerpt(written));
}

function refuse(reason: Refusal['reason'], message: string, name?: string): { refusal: RefusalDraft } {
  return { refusal: { reason, message, name } };
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
