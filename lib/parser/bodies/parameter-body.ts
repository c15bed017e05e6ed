import type { JsonObject, JsonValue } from '../../util/json.ts';
import { buildCall, type Verdict } from '../call-shape.ts';
import { readJson, UNSAFE_KEYS } from '../json/json-reader.ts';
import { skipSpace } from '../source.ts';
import { attribute, readTag, type Tag } from '../tags.ts';
import type { BodyContext, BodyReading } from './body.ts';
import { elementsIn, readElementBody } from './element-body.ts';
import { trimNewline } from './elements.ts';
import { readJsonArguments } from './json-arguments.ts';
import { refusal } from './json-body.ts';

const FUNCTION_ELEMENTS = new Set(['function', 'invoke']);
/** Elements that name the tool in an attribute now and then: `<tool_call name="f">`. */
const NAMED_ELEMENTS = new Set(['tool_call', 'tool_use', 'function_call']);
/** The opener without its bracket, as some models write it behind a marker. */
const LOST_BRACKET = /function=([^\s<>]{1,128})>/y;
const PARAMETER_ELEMENTS = new Set(['parameter', 'param']);

const PARAMETER_CLOSER = /<\/[^<>\s]{0,20}param(?:eter)?\s{0,4}>/g;
const PARAMETER_OPENER = /<(?!\/)[^<>\s=]{0,20}param(?:eter)?(?:=|\s+name=|>)/g;
const CALL_CLOSER =
  /<\/(?!param)[^<>\s]{0,20}(?:function|invoke|tool_call|function_calls?|tool_calls)\s{0,4}>/g;
const CDATA = /^<!\[CDATA\[([\s\S]*)\]\]>$/;

/**
 * A function element with parameter elements: `<function=f><parameter=a>1</parameter></function>`, or the same as
 * `<invoke name="f"><parameter name="a">`. The parameters' text is raw: no entities, one newline trimmed at each end.
 */
export function readParameterBody(context: BodyContext, at: number): BodyReading | undefined {
  const opener = readFunctionTag(context.source.text, at) ?? readLostBracket(context.source.text, at);
  if (opener === undefined) return undefined;
  const { tag, name } = opener;
  if (name === '') {
    const inner = readElementBody(context, skipSpace(context.source.text, tag.end));
    if (inner) return { ...inner, end: closeFunction(context.source.text, inner.end) };
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
    return { kind: 'parameters', end: closeFunction(context.source.text, end), verdicts: [verdict] };
  }
  return parameterElements(context, name, tag.end);
}

/** The tag that opens a function element, and the name it gives; the name is '' when it gives none. */
export function readFunctionTag(text: string, at: number): { tag: Tag; name: string } | undefined {
  const tag = readTag(text, at);
  if (!tag || tag.closing) return undefined;
  const element = tag.element.toLowerCase();
  const name = (attribute(tag, 'name') ?? '').trim();
  const isFunction = FUNCTION_ELEMENTS.has(element) || (NAMED_ELEMENTS.has(element) && name !== '');
  return isFunction ? { tag, name } : undefined;
}

function readLostBracket(text: string, at: number): { tag: Tag; name: string } | undefined {
  LOST_BRACKET.lastIndex = at;
  const [written, name] = LOST_BRACKET.exec(text) ?? [];
  if (written === undefined || name === undefined) return undefined;
  const end = at + written.length;
  const tag = {
    at,
    end,
    token: '',
    element: 'function',
    rest: `=${name}`,
    closing: false,
    selfClosing: false,
  };
  return { tag, name };
}

/** Whether a parameter element opens at an offset. */
export function startsParameter(text: string, at: number): boolean {
  const tag = readTag(text, at);
  return tag !== undefined && !tag.closing && PARAMETER_ELEMENTS.has(tag.element.toLowerCase());
}

/** A call of `name` whose parameters are the `<parameter>` elements from an offset on. */
export function parameterElements(context: BodyContext, name: string, from: number): BodyReading {
  const { text } = context.source;
  const values: JsonObject = {};
  let untyped = true;
  let at = from;
  let found = 0;
  for (;;) {
    const tag = readTag(text, skipSpace(text, at));
    if (!tag || tag.closing || !PARAMETER_ELEMENTS.has(tag.element.toLowerCase())) break;
    const parameter = readParameter(context, tag);
    if (parameter === undefined) {
      return failed(text.length, refusal('cut', `The call of ${name} is cut off inside a parameter.`, name));
    }
    const { key, end } = parameter;
    if (key === '') return failed(end, refusal('malformed', `A parameter of ${name} has no name.`, name));
    if (UNSAFE_KEYS.has(key)) {
      return failed(end, refusal('unsafe-key', `The call of ${name} holds the key "${key}".`, name));
    }
    const typed = typedValue(tag, parameter.text);
    if (typed !== undefined) untyped = false;
    values[key] = typed ?? parameter.text;
    at = end;
    found++;
  }
  if (found === 0) {
    const elements = elementsIn(context, name, at);
    if (elements.end > at) return { ...elements, end: closeFunction(text, elements.end) };
  }
  const closed = closeFunction(text, at);
  if (found === 0 && closed === at && !readTag(text, skipSpace(text, at))?.closing) {
    return failed(at, refusal('cut', `The call of ${name} is cut off before its parameters.`, name));
  }
  const verdict = buildCall(name, values, context);
  if ('call' in verdict && untyped) verdict.call.untyped = true;
  return { kind: 'parameters', end: closed, verdicts: [verdict] };
}

function failed(end: number, verdict: Verdict): BodyReading {
  return { kind: 'parameters', end, verdicts: [verdict] };
}

interface Parameter {
  key: string;
  text: string;
  end: number;
}

/** Reads from a parameter's opening tag to behind its end; `undefined` when the text ends inside it. */
function readParameter(context: BodyContext, tag: Tag): Parameter | undefined {
  const { source } = context;
  const key = (attribute(tag, 'name') ?? '').trim();
  if (tag.selfClosing && key !== '') return { key, text: '', end: tag.end };
  if (key === '' && tag.rest.trim() === '') return nameInside(context, tag);
  const end = valueEnd(context, tag.end);
  if (end === undefined) return undefined;
  return { key, text: parameterText(source.text.slice(tag.end, end.at)), end: end.behind };
}

/** `<parameter>city</parameter>\nOslo`, where the element holds the name and the value follows it. */
function nameInside(context: BodyContext, tag: Tag): Parameter | undefined {
  const { source } = context;
  const closer = source.find(PARAMETER_CLOSER, tag.end);
  if (closer === undefined) return undefined;
  const end = valueEnd(context, closer.end);
  if (end === undefined) return undefined;
  const key = source.text.slice(tag.end, closer.at).trim();
  return { key, text: parameterText(source.text.slice(closer.end, end.at)), end: end.behind };
}

/** Where a value ends: at its closer, else before the next parameter or the end of the call. */
function valueEnd({ source }: BodyContext, from: number): { at: number; behind: number } | undefined {
  const closer = source.find(PARAMETER_CLOSER, from);
  if (source.text.startsWith('<![CDATA[', from) && closer) return { at: closer.at, behind: closer.end };
  const opener = source.find(PARAMETER_OPENER, from);
  if (closer && (!opener || closer.at < opener.at || opensInsideText(source.text, opener.at, closer.at))) {
    return { at: closer.at, behind: closer.end };
  }
  const end = source.find(CALL_CLOSER, from);
  if (opener && (!end || opener.at < end.at)) return { at: opener.at, behind: opener.at };
  return end ? { at: end.at, behind: end.at } : undefined;
}

/** A parameter tag within a line is quoted text; one that starts a line, or follows the value at once, is a tag. */
function opensInsideText(text: string, opener: number, closer: number): boolean {
  const before = text.slice(Math.max(0, opener - 200), opener);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return closer > opener && /\s$/.test(line) && line.trim() !== '';
}

function closeFunction(text: string, from: number): number {
  const tag = readTag(text, skipSpace(text, from));
  return tag?.closing && FUNCTION_ELEMENTS.has(tag.element.toLowerCase()) ? tag.end : from;
}

function parameterText(value: string): string {
  const text = trimNewline(value);
  return CDATA.exec(text.trim())?.[1] ?? text;
}

/** DSML and its like say whether a value is text; `undefined` when the tag does not. */
function typedValue(tag: Tag, text: string): JsonValue | undefined {
  const isText = attribute(tag, 'string') ?? (attribute(tag, 'type') === 'string' ? 'true' : undefined);
  if (isText === 'true') return text;
  if (isText !== 'false') return undefined;
  const trimmed = text.trim();
  const reading = readJson(trimmed, 0);
  return reading.ok && reading.closed && reading.end === trimmed.length ? reading.value : text;
}
