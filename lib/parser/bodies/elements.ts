import type { JsonObject, JsonValue } from '../../util/json.ts';
import { readJson, UNSAFE_KEYS } from '../json/json-reader.ts';
import type { BodyContext, SourceText } from '../reading.ts';
import { allowedTypes, alternatives } from '../schema-types.ts';
import { MINIMAX_PREFIX, skipSpace } from '../space.ts';
import { attribute, type Tag } from '../tags.ts';
import type { ParameterSchema } from '../types.ts';

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
  if (property && allowedTypes(property).includes('string')) return { at, end: at + closer.length };
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
const PARAMETER_ELEMENTS = new Set(['parameter', 'param']);
const PARAMETER_CLOSER = /<\/[^<>\s]{0,20}param(?:eter)?\s{0,4}>/g;
const PARAMETER_OPENER = /<(?!\/)[^<>\s=]{0,20}param(?:eter)?(?:=|[\sĠ]*name=|>)/g;
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
}

/** Reads the parameter with this opening tag; `undefined` when the text ends inside it. */
export function readParameter(context: BodyContext, tag: Tag): Parameter | undefined {
  const { source } = context;
  const key = (attribute(tag, 'name') ?? '').trim();
  if (tag.selfClosing && key !== '') return { key, text: '', end: tag.end };
  if (key === '' && tag.rest.trim() === '') return nameInside(context, tag);
  const value = valueEnd(context, tag.end);
  if (value === undefined) return undefined;
  return { key, text: parameterText(context, source.text.slice(tag.end, value.at)), end: value.end };
}

/** `<parameter>city</parameter>\nOslo`: the element holds the name, and the value follows it. */
function nameInside(context: BodyContext, tag: Tag): Parameter | undefined {
  const { source } = context;
  const closer = source.find(PARAMETER_CLOSER, tag.end);
  if (closer === undefined) return undefined;
  const value = valueEnd(context, closer.end);
  if (value === undefined) return undefined;
  const key = source.text.slice(tag.end, closer.at).trim();
  return { key, text: parameterText(context, source.text.slice(closer.end, value.at)), end: value.end };
}

/** Where a value ends: at its closing tag, otherwise before the next parameter or the end of the call. */
function valueEnd({ source }: BodyContext, start: number): { at: number; end: number } | undefined {
  const from = skipCdata(source, start);
  if (from === undefined) return undefined;
  const closer = source.find(PARAMETER_CLOSER, from);
  const opener = source.find(PARAMETER_OPENER, from);
  if (closer && (!opener || closer.at < opener.at || opensInsideText(source.text, opener.at, closer.at))) {
    return lastCloser(source, closer);
  }
  const end = source.find(CALL_CLOSER, from);
  if (opener && (!end || opener.at < end.at)) return { at: opener.at, end: opener.at };
  return end ? { at: end.at, end: end.at } : undefined;
}

/**
 * The closing tag that ends a value. One followed by words is part of the value if another one comes before the next
 * parameter and the end of the call: `a </parameter> b</parameter>`.
 */
function lastCloser(
  source: SourceText,
  first: { at: number; end: number },
): { at: number; end: number } | undefined {
  let closer = first;
  for (;;) {
    const after = skipSpace(source.text, closer.end);
    const next = source.text[after] === '<' ? undefined : source.find(PARAMETER_CLOSER, after);
    const opener = next && source.find(PARAMETER_OPENER, after);
    const end = next && source.find(CALL_CLOSER, after);
    const isQuoted = next && next.at < (opener?.at ?? Infinity) && next.at < (end?.at ?? Infinity);
    if (!isQuoted) return { at: closer.at, end: closer.end };
    closer = next;
  }
}

/** A parameter tag in the middle of a line is text. One at the start of a line or directly after the value is a tag. */
function opensInsideText(text: string, opener: number, closer: number): boolean {
  const before = text.slice(Math.max(0, opener - 200), opener);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return closer > opener && /\s$/.test(line) && line.trim() !== '';
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
