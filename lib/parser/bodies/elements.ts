import type { JsonObject, JsonValue } from '../../util/json.ts';
import { UNSAFE_KEYS } from '../json/json-reader.ts';
import { allowedTypes, alternatives } from '../schema-types.ts';
import { MINIMAX_PREFIX, type Source, skipSpace } from '../source.ts';
import { readTag, type Tag } from '../tags.ts';
import type { ParameterSchema } from '../types.ts';

export interface ElementsReading {
  /** Values by element name: text, lists of repeated elements, nested objects. */
  values: JsonObject;
  /** How many elements were read, those that were left out included. */
  count: number;
  /** Offset behind the last element. */
  end: number;
  /** Set when the text ended inside an element. */
  cut?: true;
  unsafeKey?: string;
}

export interface ElementsOptions {
  source: Source;
  schema: ParameterSchema | undefined;
  /** Offset at which the elements end at the latest. */
  to: number;
  /** The text is XML, so `&lt;` stands for `<`. */
  decodeEntities?: boolean;
  /** Leave out elements that are no parameter. */
  knownOnly?: boolean;
}

const MAX_LEVELS = 16;

/** Reads sibling elements, one per parameter: `<path>a.txt</path><line>3</line>`. Stops at the first thing that is none. */
export function readElements(from: number, options: ElementsOptions, level = 0): ElementsReading {
  const { source, schema, to } = options;
  const reading: ElementsReading = { values: {}, count: 0, end: from };
  for (;;) {
    const tag = readTag(source.text, skipSpace(source.text, reading.end));
    if (!tag || tag.end > to || tag.element === '') return reading;
    if (tag.closing) {
      // A closer too many, as in `<a>1</a></a>`.
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

/** Where an element's text ends and where the element does. Elements of the same name inside structured ones nest. */
function elementEnd(
  tag: Tag,
  property: ParameterSchema | undefined,
  { source, to }: ElementsOptions,
): { at: number; end: number } | undefined {
  const closer = `</${tag.element}>`;
  const at = source.indexOf(closer, tag.end, to);
  if (at === undefined) return unclosedEnd(tag, { source, to });
  if (property && allowedTypes(property).includes('string')) return { at, end: at + closer.length };
  const opener = `<${tag.element}>`;
  let end = at;
  let inside = source.indexOf(opener, tag.end, end);
  while (inside !== undefined) {
    const next = source.indexOf(closer, end + closer.length, to);
    if (next === undefined) break;
    inside = source.indexOf(opener, inside + opener.length, next);
    end = next;
  }
  return { at: end, end: end + closer.length };
}

/** A missing closer is harmless where the surrounding element ends, and a cut where the text does. */
function unclosedEnd(
  tag: Tag,
  { source, to }: { source: Source; to: number },
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
  const text = trimNewline(withoutPrefix(source.text.slice(from, to)));
  return options.decodeEntities ? decodeEntities(text) : text;
}

function isListOfItems(values: JsonObject): boolean {
  return Object.keys(values).every((key) => key === 'item' || /^\d+$/.test(key));
}

/** A repeated element makes a list, unless the schema says that there is one value: then the last one counts. */
function addValue(
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

/** Text of an element without the one newline at each end that only sets it off. */
export function trimNewline(text: string): string {
  const start = text.startsWith('\r\n') ? 2 : text.startsWith('\n') ? 1 : 0;
  const rest = text.slice(start);
  const end = rest.endsWith('\r\n') ? 2 : rest.endsWith('\n') ? 1 : 0;
  return rest.slice(0, rest.length - end);
}

const ENTITY = /&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});/gi;
const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&quot;', '"'],
  ['&apos;', "'"],
]);

/** XML text with `&lt;`, `&amp;`, `&#39;` and the like read. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity) => {
    const named = NAMED_ENTITIES.get(entity.toLowerCase());
    if (named !== undefined) return named;
    const hex = /^&#x/i.test(entity);
    const code = Number.parseInt(entity.slice(hex ? 3 : 2, -1), hex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
