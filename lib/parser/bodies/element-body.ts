import type { JsonObject } from '../../util/json.ts';
import { buildCall, readJsonArguments, refusal } from '../call-shape.ts';
import { UNSAFE_KEYS } from '../json/json-reader.ts';
import type { BodyContext, BodyReading, SourceText, Verdict } from '../reading.ts';
import { allowedTypes } from '../schema-types.ts';
import { skipSpace } from '../space.ts';
import { attribute, Tag } from '../tags.ts';
import type { ParameterSchema } from '../types.ts';
import { readName } from './call-head.ts';
import {
  addValue,
  type ElementsOptions,
  hasTextLeft,
  isParameter,
  PARAMETER_ELEMENTS,
  readElements,
  readParameter,
  typedValue,
} from './elements.ts';

const NAME_ELEMENTS = new Set(['name', 'tool_name', 'function_name']);
const ARGUMENT_ELEMENTS = new Set([
  'arguments',
  'parameters',
  'args',
  'input',
  'params',
  'tool_args',
  'tool_input',
  'tool_parameters',
]);

/** Elements that sometimes name the tool in an attribute: `<tool_call name="f">`. */
const NAMED_ELEMENTS = new Set(['tool_call', 'tool_use', 'function_call']);
/** The opener without its `<`, as some models write it after a marker. */
const LOST_BRACKET = /function=([^\s<>]{1,128})>/y;

const FUNCTION_ELEMENTS = new Set(['function', 'invoke']);

/**
 * A function element with parameter elements: `<function=f><parameter=a>1</parameter></function>`, or
 * `<invoke name="f"><parameter name="a">`. Parameter text is raw: no entities, one newline trimmed at each end.
 */
export function readParameterBody(context: BodyContext, at: number): BodyReading | undefined {
  const opener = readFunctionTag(context.source, at) ?? readLostBracket(context.source.text, at);
  if (opener === undefined) return undefined;
  const { tag, name } = opener;
  if (name === '') {
    const inner = readElementBody(context, skipSpace(context.source.text, tag.end));
    if (inner) return { ...inner, end: skipFunctionCloser(context.source, inner.end) };
    return {
      kind: 'parameters',
      end: tag.end,
      verdicts: [refusal('malformed', 'The call has no tool name.')],
    };
  }
  if (tag.selfClosing) return { kind: 'parameters', end: tag.end, verdicts: [buildCall(name, {}, context)] };
  const inside = skipSpace(context.source.text, tag.end);
  if (context.source.text[inside] === '{') {
    const { verdict, end } = readJsonArguments(context, { name, at: inside });
    return { kind: 'parameters', end: skipFunctionCloser(context.source, end), verdicts: [verdict] };
  }
  return callOfParameters(context, name, tag.end);
}

/** The opening tag of a function element and the tool's name, '' when the tag names none. */
export function readFunctionTag(source: SourceText, at: number): { tag: Tag; name: string } | undefined {
  const tag = source.tagAt(at);
  if (!tag || tag.closing) return undefined;
  const element = tag.element.toLowerCase();
  const isFunction = FUNCTION_ELEMENTS.has(element);
  if (!isFunction && !NAMED_ELEMENTS.has(element)) return undefined;
  const name = (attribute(tag, 'name') ?? '').trim();
  return isFunction || name !== '' ? { tag, name } : undefined;
}

function readLostBracket(text: string, at: number): { tag: Tag; name: string } | undefined {
  LOST_BRACKET.lastIndex = at;
  const [written, name] = LOST_BRACKET.exec(text) ?? [];
  if (written === undefined || name === undefined) return undefined;
  return { tag: new Tag(written.slice(0, -1), at - 1), name };
}

/** Name and arguments in separate elements: `<tool_name>f</tool_name><parameters><a>1</a></parameters>`. */
export function readElementBody(context: BodyContext, at: number): BodyReading | undefined {
  const { source } = context;
  const opener = source.tagAt(at);
  if (!opener || opener.closing || !NAME_ELEMENTS.has(opener.element.toLowerCase())) return undefined;
  const named = readName(source.text, skipSpace(source.text, opener.end));
  if (named === undefined) return undefined;
  const closer = source.tagAt(skipSpace(source.text, named.end));
  if (!closer?.closing || closer.element !== opener.element) return undefined;
  const { name } = named;
  const holder = source.tagAt(skipSpace(source.text, closer.end));
  if (!holder || holder.closing || holder.element === '') {
    return { kind: 'elements', end: closer.end, verdicts: [buildCall(name, {}, context)] };
  }
  // Without an arguments element the parameters follow the name.
  if (isParameter(holder)) return callOfParameters(context, name, closer.end);
  if (!isHolder(holder)) return callOfElements(context, name, closer.end);
  const inside = skipSpace(source.text, holder.end);
  if (source.text[inside] === '{') {
    const { verdict, end } = readJsonArguments(context, { name, at: inside });
    return { kind: 'elements', end: skipCloser(source, end, holder), verdicts: [verdict] };
  }
  const body = callOfElements(context, name, holder.end);
  return { ...body, end: skipCloser(source, body.end, holder) };
}

/** Whether an element wraps all arguments: `<arguments>`. */
export function isHolder(tag: Tag): boolean {
  return ARGUMENT_ELEMENTS.has(tag.element.toLowerCase());
}

/** A name followed by elements that are parameters of the offered tool: `read_file\n<path>a.txt</path>`. */
export function readNamedElementsBody(context: BodyContext, at: number): BodyReading | undefined {
  const { source, tools } = context;
  const named = readName(source.text, at);
  const offered = named && tools.offered(named.name);
  if (named === undefined || offered === undefined) return undefined;
  const first = source.tagAt(skipSpace(source.text, named.end));
  const properties = tools.schema(offered)?.properties ?? {};
  if (!first || first.closing || !Object.hasOwn(properties, first.element)) return undefined;
  const body = callOfElements(context, named.name, named.end);
  const closer = source.tagAt(skipSpace(source.text, body.end));
  return closer?.closing && closer.element === named.name ? { ...body, end: closer.end } : body;
}

function skipCloser(source: SourceText, from: number, opener: Tag): number {
  const tag = source.tagAt(skipSpace(source.text, from));
  return tag?.closing && tag.element === opener.element ? tag.end : from;
}

/** Builds a call of `name` from the `<parameter>` elements at an offset. */
export function callOfParameters(context: BodyContext, name: string, from: number): BodyReading {
  const { source } = context;
  const { text } = source;
  const values: JsonObject = {};
  const properties = context.tools.schema(context.tools.resolve(name))?.properties ?? {};
  const isExpected = (key: string, current?: string) =>
    isExpectedParameter(key, { isGiven: key === current || Object.hasOwn(values, key), properties });
  let untyped = true;
  let at = from;
  let found = 0;
  let guessed = false;
  let mayHaveSurplusCloser = false;
  for (;;) {
    const tag = source.tagAt(skipSpace(text, at));
    if (tag && mayHaveSurplusCloser && isParameterCloser(tag)) {
      mayHaveSurplusCloser = false;
      at = tag.end;
      continue;
    }
    if (!tag || !isParameter(tag)) break;
    const parameter = readParameter(context, tag, { isExpected });
    if (parameter === 'cut') {
      return failed(text.length, refusal('cut', `The call of ${name} is cut off inside a parameter.`, name));
    }
    if (parameter === 'unclear') return unclear(context, name);
    const { key, end } = parameter;
    if (key === '') return failed(end, refusal('malformed', `A parameter of ${name} has no name.`, name));
    if (UNSAFE_KEYS.has(key)) {
      return failed(end, refusal('unsafe-key', `The call of ${name} contains the key "${key}".`, name));
    }
    // After a guess, other names are more likely to be text of the value before.
    if (guessed && !isExpected(key)) return unclear(context, name);
    guessed ||= parameter.guessed === true;
    mayHaveSurplusCloser = parameter.text !== '' && !parameter.text.includes('<');
    const typed = typedValue(tag, parameter.text);
    if (typed !== undefined) untyped = false;
    const value = typed ?? parameter.text;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    // A list may be written as one parameter per item.
    if (property) addValue(values, { key, value, property });
    else values[key] = value;
    at = end;
    found++;
  }
  if (found > 0 && hasTextLeft(context, at, { name, guessed })) return unclear(context, name);
  if (found === 0) {
    const elements = callOfElements(context, name, at);
    if (elements.end > at) return { ...elements, end: skipFunctionCloser(source, elements.end) };
  }
  const closed = skipFunctionCloser(source, at);
  if (found === 0 && closed === at && !source.tagAt(skipSpace(text, at))?.closing) {
    return failed(at, refusal('cut', `The call of ${name} is cut off before its parameters.`, name));
  }
  const verdict = buildCall(name, values, context);
  if ('call' in verdict && untyped) verdict.call.untyped = true;
  return { kind: 'parameters', end: closed, verdicts: [verdict] };
}

/** Whether a parameter can follow those already read. Without a schema, any name can. */
function isExpectedParameter(
  key: string,
  { isGiven, properties }: { isGiven: boolean; properties: { [name: string]: ParameterSchema } },
): boolean {
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (isGiven) return property !== undefined && allowedTypes(property).includes('array');
  return property !== undefined || Object.keys(properties).length === 0;
}

function isParameterCloser(tag: Tag): boolean {
  return tag.closing && PARAMETER_ELEMENTS.has(tag.element.toLowerCase());
}

/** Refuses the rest of the text too: what resembles a call in it may be part of a value. */
function unclear({ source }: BodyContext, name: string): BodyReading {
  const message = `A value in the call of ${name} contains parameter tags, so its end is unclear.`;
  return failed(source.text.length, refusal('malformed', message, name));
}

function failed(end: number, verdict: Verdict): BodyReading {
  return { kind: 'parameters', end, verdicts: [verdict] };
}

/** Builds a call of `name` from the elements at an offset, one per parameter. */
export function callOfElements(
  context: BodyContext,
  name: string,
  from: number,
  options: Pick<ElementsOptions, 'decodeEntities' | 'knownOnly'> = {},
): BodyReading {
  const { source, tools } = context;
  const schema = tools.schema(tools.resolve(name));
  const { values, end, cut, unsafeKey } = readElements(from, {
    source,
    schema,
    to: source.text.length,
    ...options,
  });
  if (cut) {
    const message = `The call of ${name} is cut off inside a parameter.`;
    return { kind: 'elements', end: source.text.length, verdicts: [refusal('cut', message, name)] };
  }
  const verdict = buildCall(name, values, { ...context, unsafeKey });
  if ('call' in verdict) verdict.call.untyped = true;
  return { kind: 'elements', end, verdicts: [verdict] };
}

/** Offset after the closing tag of a function element, if there is one at `from`. */
function skipFunctionCloser(source: SourceText, from: number): number {
  const tag = source.tagAt(skipSpace(source.text, from));
  return tag?.closing && FUNCTION_ELEMENTS.has(tag.element.toLowerCase()) ? tag.end : from;
}
