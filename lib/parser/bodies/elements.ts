import type { JsonObject, JsonValue } from '../../util/json.ts';
import { readJson, UNSAFE_KEYS } from '../json/json-reader.ts';
import { MAX_NAME_CHARS } from '../limits.ts';
import type { BodyContext, SourceText } from '../reading.ts';
import { allowedTypes, alternatives } from '../schema-types.ts';
import { MINIMAX_PREFIX, skipSpace } from '../space.ts';
import { attribute, type Tag } from '../tags.ts';
import type { ParameterSchema } from '../types.ts';
import {
  COMMENT,
  commentedNesting,
  nestingOf,
  nestingOfElement,
  parameterNesting,
  type TagNesting,
} from './tag-nesting.ts';

export interface ElementsReading {
  /** Values by element name: text, lists of repeated elements, nested objects. */
  values: JsonObject;
  /** How many elements were read, including omitted ones. */
  count: number;
  /** Offset after the last element. */
  end: number;
  /** Set when the text ended inside an element. */
  cut?: true;
  unsafeKey?: string;
}

export interface ElementsOptions {
  source: SourceText;
  schema: ParameterSchema | undefined;
  /** Offset that the elements must not pass. */
  to: number;
  /** The text is XML, so `&lt;` stands for `<`. */
  decodeEntities?: boolean;
  /** Omit elements that are not parameters. */
  knownOnly?: boolean;
}

const MAX_LEVELS = 16;

/** Reads sibling elements, one per parameter: `<path>a.txt</path><line>3</line>`. Stops at anything else. */
export function readElements(from: number, options: ElementsOptions, level = 0): ElementsReading {
  const { source, schema, to } = options;
  const reading: ElementsReading = { values: {}, count: 0, end: from };
  for (;;) {
    const tag = source.tagAt(skipSpace(source.text, reading.end));
    if (!tag || tag.end > to || tag.element === '') return reading;
    if (tag.closing) {
      // A surplus closing tag, as in `<a>1</a></a>`.
      if (!Object.hasOwn(reading.values, tag.element)) return reading;
      reading.end = tag.end;
      continue;
    }
    if (tag.rest.trim() !== '') return reading;
    if (UNSAFE_KEYS.has(tag.element)) return { ...reading, unsafeKey: tag.element };
    const property = schema?.properties?.[tag.element];
    const inner = tag.selfClosing ? { at: tag.end, end: tag.end } : elementEnd(tag, property, options);
    if (inner === undefined) return { ...reading, cut: true };
    reading.count++;
    reading.end = inner.end;
    if (property === undefined && options.knownOnly) continue;
    const value = elementValue(tag.end, { ...options, to: inner.at, schema: property }, level);
    addValue(reading.values, { key: tag.element, value, property });
  }
}

/** Where an element's text ends and where the element ends. Structured elements may contain others of the same name. */
function elementEnd(
  tag: Tag,
  property: ParameterSchema | undefined,
  { source, to }: ElementsOptions,
): { at: number; end: number } | undefined {
  const closer = `</${tag.element}>`;
  const from = skipCdata(source, tag.end);
  const at = from === undefined ? undefined : source.indexOf(closer, from, to);
  if (from === undefined || at === undefined) return unclosedEnd(tag, { source, to });
  if (property && allowedTypes(property).includes('string')) {
    // Text may contain elements of the same name, if they have closing tags.
    const matching = source.text.slice(tag.end, at).includes(`<${tag.element}`)
      ? nestingOfElement(source, tag.element).closerOf(from)
      : undefined;
    return matching && matching.end <= to ? matching : { at, end: at + closer.length };
  }
  const opener = `<${tag.element}>`;
  let end = at;
  let inside = source.indexOf(opener, from, end);
  while (inside !== undefined) {
    const next = source.indexOf(closer, end + closer.length, to);
    if (next === undefined) break;
    inside = source.indexOf(opener, inside + opener.length, next);
    end = next;
  }
  return { at: end, end: end + closer.length };
}

/** A missing closing tag is harmless at the end of the parent element; at the end of the text it means a cut-off call. */
function unclosedEnd(
  tag: Tag,
  { source, to }: { source: SourceText; to: number },
): { at: number; end: number } | undefined {
  if (to >= source.text.length) return undefined;
  return source.text.slice(tag.end, to).includes('<') ? undefined : { at: to, end: to };
}

function elementValue(from: number, options: ElementsOptions, level: number): JsonValue {
  const { source, schema, to } = options;
  const types = schema ? allowedTypes(schema) : [];
  if (level < MAX_LEVELS && !types.includes('string')) {
    const branch = schema && alternatives(schema)[0];
    const isList = types.includes('array');
    const inner = readElements(
      from,
      { ...options, schema: isList ? undefined : branch, knownOnly: false },
      level + 1,
    );
    if (inner.count > 0 && !inner.cut && !inner.unsafeKey && skipSpace(source.text, inner.end) >= to) {
      return isList || isListOfItems(inner.values) ? Object.values(inner.values).flat() : inner.values;
    }
  }
  const written = withoutPrefix(source.text.slice(from, to));
  const text = cdataText(written);
  if (text !== undefined) return text;
  return options.decodeEntities ? decodeEntities(trimNewline(written)) : trimNewline(written);
}

function isListOfItems(values: JsonObject): boolean {
  return Object.keys(values).every((key) => key === 'item' || /^\d+$/.test(key));
}

/** Repeated elements form a list, unless the schema allows a single value: then the last one wins. */
export function addValue(
  values: JsonObject,
  { key, value, property }: { key: string; value: JsonValue; property: ParameterSchema | undefined },
): void {
  const earlier = Object.hasOwn(values, key) ? values[key] : undefined;
  const single = property !== undefined && !allowedTypes(property).includes('array');
  if (earlier === undefined || single) values[key] = value;
  else values[key] = [earlier, value].flat();
}

function withoutPrefix(text: string): string {
  return text.endsWith(MINIMAX_PREFIX) ? text.slice(0, -MINIMAX_PREFIX.length) : text;
}

/** The text of an element without one newline at each end, which is only layout. */
export function trimNewline(text: string): string {
  const start = text.startsWith('\r\n') ? 2 : text.startsWith('\n') ? 1 : 0;
  const rest = text.slice(start);
  const end = rest.endsWith('\r\n') ? 2 : rest.endsWith('\n') ? 1 : 0;
  return rest.slice(0, rest.length - end);
}

const CDATA_OPEN = '<![CDATA[';
const CDATA_CLOSE = ']]>';

/**
 * Offset after the CDATA sections at the start of a value, so that no tag inside them ends the value. Returns `from` when
 * there are none, and `undefined` when the text ends inside one.
 */
function skipCdata(source: SourceText, from: number): number | undefined {
  const { text } = source;
  let at = skipSpace(text, from);
  if (!text.startsWith(CDATA_OPEN, at)) return from;
  while (text.startsWith(CDATA_OPEN, at)) {
    const end = source.indexOf(CDATA_CLOSE, at + CDATA_OPEN.length, text.length);
    if (end === undefined) return undefined;
    at = end + CDATA_CLOSE.length;
  }
  return at;
}

/** The text of a value written as CDATA sections; `undefined` for other values. */
function cdataText(value: string): string | undefined {
  const trimmed = value.trim();
  if (!trimmed.startsWith(CDATA_OPEN) || !trimmed.endsWith(CDATA_CLOSE)) return undefined;
  // Text that contains `]]>` is split across two sections.
  return trimmed.slice(CDATA_OPEN.length, -CDATA_CLOSE.length).replaceAll(CDATA_CLOSE + CDATA_OPEN, '');
}

const ENTITY = /&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});/gi;
const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&quot;', '"'],
  ['&apos;', "'"],
]);

/** Decodes XML entities such as `&lt;`, `&amp;` and `&#39;`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity) => {
    const named = NAMED_ENTITIES.get(entity.toLowerCase());
    if (named !== undefined) return named;
    const hex = /^&#x/i.test(entity);
    const code = Number.parseInt(entity.slice(hex ? 3 : 2, -1), hex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

const INLINE_LINES = /^[^\r\n][^\n]*\n[^\n]*[^\s]/;
const BLANK_LAST_LINE = /(\n)\r?\n$/;
export const PARAMETER_ELEMENTS = new Set(['parameter', 'param']);
const PARAMETER_CLOSER = /<\/[^<>\s]{0,20}param(?:eter)?\s{0,4}>/g;
const PARAMETER_OPENER = /<(?!\/)[^<>\s=]{0,20}param(?:eter)?(?:=|[\sĠ]*name=|>)/g;
/** Any opening tag, also without a name. */
const INNER_OPENER = /<(?!\/)[^<>\s=/]{0,20}param(?:eter)?(?=[\s=>/Ġ]|name=)/g;
const CALL_OPENER =
  /<(?!\/)[^<>\s=/]{0,20}(?:function|invoke|tool_call|function_calls?|tool_calls)(?=[\s=>Ġ]|name=)/g;
const PROSE = /^[^<]*\p{L}{2}/u;
const CALL_CLOSER =
  /<\/(?!param)[^<>\s]{0,20}(?:function|invoke|tool_call|function_calls?|tool_calls)\s{0,4}>/g;

/** Whether a tag opens a parameter element: `<parameter=a>`. */
export function isParameter(tag: Tag): boolean {
  return !tag.closing && PARAMETER_ELEMENTS.has(tag.element.toLowerCase());
}

interface Parameter {
  key: string;
  text: string;
  end: number;
  /** Set when the value contains tags of parameters or has no closing tag, so that its end is a guess. */
  guessed?: true;
}

/** Why a parameter could not be read: the text ends inside it, or several readings are possible. */
type ParameterProblem = 'cut' | 'unclear';

interface ParameterOptions {
  /** Whether the call may have a parameter of this name besides those already read and `current`. */
  isExpected: (name: string, current?: string) => boolean;
}

/** Reads the parameter with this opening tag. */
export function readParameter(
  context: BodyContext,
  tag: Tag,
  { isExpected }: ParameterOptions,
): Parameter | ParameterProblem {
  const { source } = context;
  const written = (attribute(tag, 'name') ?? '').trim();
  if (tag.selfClosing && written !== '') return { key: written, text: '', end: tag.end };
  const holder = written === '' && tag.rest.trim() === '' ? nameInside(source, tag) : undefined;
  if (holder === 'cut') return 'cut';
  const { key, start } = holder ?? { key: written, start: tag.end };
  const value = valueEnd(source, start, {
    element: tag.element,
    isKnown: isExpected(key),
    isExpected: (name) => isExpected(name, key),
  });
  if (typeof value === 'string') return value;
  const text = parameterText(context, source.text.slice(start, value.at));
  return { key, text, end: value.end, guessed: value.guessed };
}

/** `<parameter>city</parameter>\nOslo`: the element holds the name, and the value follows it. */
function nameInside(source: SourceText, tag: Tag): { key: string; start: number } | 'cut' {
  const closer = source.find(PARAMETER_CLOSER, tag.end);
  return closer ? { key: source.text.slice(tag.end, closer.at).trim(), start: closer.end } : 'cut';
}

interface ValueEnd {
  at: number;
  end: number;
  guessed?: true;
}

/**
 * Where a value ends: at its closing tag, otherwise before the next parameter or the end of the call. The value may itself
 * contain parameter elements, for example when it is a file about tool calls. They belong to the value if their tags match
 * up, unless they may as well be parameters of the call.
 */
function valueEnd(
  source: SourceText,
  start: number,
  options: ParameterOptions & {
    element: string;
    /** Whether the tool has this parameter and it was not given before. */
    isKnown: boolean;
  },
): ValueEnd | ParameterProblem {
  const from = skipCdata(source, start);
  if (from === undefined) return 'cut';
  const closer = source.find(PARAMETER_CLOSER, from);
  const inner = source.find(INNER_OPENER, from);
  if (closer && (!inner || closer.at < inner.at)) {
    const isLayout = options.isKnown && from === start && /^\r?\n/.test(source.text.slice(start, start + 2));
    return lastCloser(source, closer, { isLayout });
  }
  if (closer && inner) {
    const matching = matchingCloser(source, from, options.element);
    if (matching === 'unclear') return 'unclear';
    if (matching) {
      const name = nameOf(source, inner.at);
      const isSurplus = matching.afterInner && name !== undefined && options.isExpected(name);
      return isSurplus ? 'unclear' : { ...lastCloser(source, matching), guessed: true };
    }
  }
  return unclosedValueEnd(source, from, options);
}

/** The closing tag that matches up with those inside the value, with or without the tags in XML comments. */
function matchingCloser(
  source: SourceText,
  from: number,
  element: string,
): ReturnType<TagNesting['closerOf']> | 'unclear' {
  const closer = nestingOf(source, element).closerOf(from) ?? parameterNesting(source).closerOf(from);
  const comment = source.find(COMMENT, from);
  if (!comment || comment.at > (closer?.at ?? Infinity)) return closer;
  const outside = commentedNesting(source).closerOf(from);
  return closer && closer.at !== outside?.at ? 'unclear' : outside;
}

/** Where a value ends whose tags do not match up. */
function unclosedValueEnd(
  source: SourceText,
  from: number,
  { isExpected }: ParameterOptions,
): ValueEnd | ParameterProblem {
  const closer = source.find(PARAMETER_CLOSER, from);
  const opener = source.find(PARAMETER_OPENER, from);
  const end = source.find(CALL_CLOSER, from);
  if (closer && opener && opensInsideText(source.text, opener.at, closer.at)) {
    const value = lastCloser(source, closer);
    // The end of the call may be that of a call quoted in the value.
    return opensCall(source, from, value.at) ? 'unclear' : { ...value, guessed: true };
  }
  if (opener && (!end || opener.at < end.at)) {
    const name = nameOf(source, opener.at);
    if (name === undefined || !isExpected(name)) return 'unclear';
    return { at: opener.at, end: opener.at, guessed: true };
  }
  // Only tags without a name precede the closing tag.
  if (closer && (!end || closer.at < end.at)) return 'unclear';
  if (!end) return 'cut';
  return opensCall(source, from, end.at) ? 'unclear' : { at: end.at, end: end.at };
}

function opensCall(source: SourceText, from: number, to: number): boolean {
  const call = source.find(CALL_OPENER, from);
  return call !== undefined && call.at < to;
}

/** The name in the opening tag of a parameter, or inside its element. */
function nameOf(source: SourceText, at: number): string | undefined {
  const tag = source.tagAt(at);
  if (!tag) return undefined;
  const name = attribute(tag, 'name')?.trim();
  if (name !== undefined || tag.rest.trim() !== '') return name;
  const closer = source.find(PARAMETER_CLOSER, tag.end);
  return closer && closer.at - tag.end <= MAX_NAME_CHARS
    ? source.text.slice(tag.end, closer.at).trim()
    : undefined;
}

/** Whether text of a value follows the parameters that were read, so that a closing tag inside the value ended it. */
export function hasTextLeft(
  { source, boundary }: BodyContext,
  at: number,
  { name, guessed }: { name: string; guessed: boolean },
): boolean {
  const next = skipSpace(source.text, at);
  if (next >= source.text.length) return false;
  const end = source.find(CALL_CLOSER, next);
  if (end?.at === next) return hasTextAfterCall(source, end.end, guessed);
  const closer = source.find(PARAMETER_CLOSER, next);
  const tag = source.tagAt(next);
  const marker = boundary?.(next);
  if ((tag?.closing && tag.element === name) || (marker?.at === next && (marker.closes || !guessed))) {
    return closer !== undefined && closer.at < (source.find(INNER_OPENER, next)?.at ?? Infinity);
  }
  const opener = source.find(CALL_OPENER, next)?.at ?? Infinity;
  if (closer && (closer.at < opener || isRestOfLine(source.text, at, next))) return true;
  // A call in the text counts as part of a value only if the value's closing tag follows it.
  if (closer && opener > next && parameterNesting(source).closerOf(next)) return true;
  if (end && end.at < opener && PROSE.test(source.text.slice(next, Math.min(end.at, next + 200))))
    return true;
  return guessed;
}

/** Whether the text after a closing tag continues its line, such as the end of a comment that holds the tag. */
function isRestOfLine(text: string, closerEnd: number, next: number): boolean {
  const isSameLine = !text.slice(closerEnd, next).includes('\n');
  return isSameLine ? text[next] !== '<' : /^[^\p{L}<`]/u.test(text.slice(next, next + 2));
}

/** Whether the closing tag of a parameter follows a call without an opening one: the value quoted the end of a call. */
function hasTextAfterCall(source: SourceText, from: number, guessed: boolean): boolean {
  const { text } = source;
  let at = skipSpace(text, from);
  for (let end = source.find(CALL_CLOSER, at); end?.at === at; end = source.find(CALL_CLOSER, at)) {
    at = skipSpace(text, end.end);
  }
  const closer = source.find(PARAMETER_CLOSER, at);
  if (!closer || (closer.at === at && !guessed)) return false;
  const opener = source.find(CALL_OPENER, at);
  if (opener && opener.at < closer.at) return false;
  return parameterNesting(source).strayCloser(at) !== undefined;
}

/**
 * The closing tag that ends a value. One followed by words is part of the value if another one comes before the next
 * parameter and the end of the call: `a </parameter> b</parameter>`.
 *
 * @param options.isLayout whether the value begins on a line of its own. Then a closing tag that ends a line of text is part of
 *   the value if another one begins the next line. In any other layout, the second one may as well be surplus.
 */
function lastCloser(
  source: SourceText,
  first: { at: number; end: number },
  { isLayout = false } = {},
): ValueEnd {
  const { text } = source;
  let closer = first;
  let guessed: true | undefined;
  for (;;) {
    const after = skipSpace(text, closer.end);
    const next = source.find(PARAMETER_CLOSER, after);
    if (!next) break;
    if (text[after] === '<') {
      const hasOwnLine = isLayout && next.at === after && text.slice(closer.end, after).includes('\n');
      if (!hasOwnLine || !isInText(text, closer.at)) break;
      guessed = true;
    } else {
      const opener = source.find(INNER_OPENER, after);
      const end = source.find(CALL_CLOSER, after);
      const isQuoted = next.at < (opener?.at ?? Infinity) && next.at < (end?.at ?? Infinity);
      if (!isQuoted) break;
    }
    closer = next;
  }
  return { at: closer.at, end: closer.end, guessed };
}

/** A parameter tag in the middle of a line is text. One at the start of a line or directly after the value is a tag. */
function opensInsideText(text: string, opener: number, closer: number): boolean {
  return closer > opener && isInText(text, opener);
}

/** Whether words and a space precede a tag in its line. */
function isInText(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 200), at);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return /\s$/.test(line) && line.trim() !== '';
}

function parameterText({ inlineValues }: BodyContext, value: string): string {
  const text = cdataText(value);
  if (text !== undefined) return text;
  // Values that start directly after their tag own their last line break. A blank line after it is only layout.
  if (inlineValues && INLINE_LINES.test(value)) return value.replace(BLANK_LAST_LINE, '$1');
  return trimNewline(value);
}

/** DSML and similar formats declare whether a value is text. `undefined` when the tag does not. */
export function typedValue(tag: Tag, text: string): JsonValue | undefined {
  const isText = attribute(tag, 'string') ?? (attribute(tag, 'type') === 'string' ? 'true' : undefined);
  if (isText === 'true') return text;
  if (isText !== 'false') return undefined;
  const trimmed = text.trim();
  const reading = readJson(trimmed, 0);
  return reading.ok && reading.closed && reading.end === trimmed.length ? reading.value : text;
}
