import type { JsonObject } from '../../util/json.ts';
import type { BodyContext } from '../bodies/body.ts';
import { elementsIn, isHolder } from '../bodies/element-body.ts';
import { decodeEntities, readElements, trimNewline } from '../bodies/elements.ts';
import { refusal } from '../bodies/json-body.ts';
import { parameterElements, startsParameter } from '../bodies/parameter-body.ts';
import { buildCall, fitsSchema, isObject, soleTextParameter, type Verdict } from '../call-shape.ts';
import { skipSpace } from '../source.ts';
import { readTag, type Tag } from '../tags.ts';
import type { ParameterSchema } from '../types.ts';
import type { Format, FormatReading } from './format.ts';

const NAME = /<([^\s<>/]{1,128})/y;
const ATTRIBUTE = /([\p{L}_][\p{L}\p{N}_.-]{0,127})=(?:"([^"]*)"|'([^']*)')/gu;

/** Elements of HTML that a tool may share its name with. Of those only ones with parameters inside are calls. */
const HTML_ELEMENTS = new Set(
  'a abbr address article aside audio b base body br button canvas caption cite code data details dialog div dl em embed figure footer form h1 h2 h3 head header html i iframe img input label legend li link main map mark menu meta meter nav object ol option output p picture pre progress q s script search section select slot small source span strong style sub summary svg table tbody td template text textarea th time title tr track u ul var video'.split(
    ' ',
  ),
);

/** An element named like an offered tool, its parameters as elements inside: `<read_file><path>a</path></read_file>`. */
export const toolNamedXml: Format = {
  name: 'tool-named-xml',
  layer: 'xml',
  triggers: ['<'],
  read({ source, tools }, { at, tag }) {
    if (!tag || tag.closing) return undefined;
    NAME.lastIndex = at;
    const name = NAME.exec(source.text)?.[1] ?? '';
    const schema = tools.schema(name);
    if (schema === undefined) return undefined;
    const context: BodyContext = { source, tools, strength: 'weak' };
    const attributes = readAttributes(tag, schema);
    if (tag.selfClosing) return emptyElement(context, { name, tag, attributes });
    const closer = `</${name}>`;
    const to = source.indexOf(closer, tag.end, source.text.length);
    if (to === undefined) return unclosed(context, name, tag);
    const end = to + closer.length;
    const values = insideOf(context, { name, from: tag.end, to, attributes });
    if (values === undefined) return undefined;
    const verdict = buildCall(name, values.given, { ...context, unsafeKey: values.unsafeKey });
    return callsOf(verdict, end);
  },
};

function callsOf(verdict: Verdict, end: number): FormatReading {
  if ('call' in verdict) verdict.call.untyped = true;
  return { kind: 'calls', end, verdicts: [verdict] };
}

function readAttributes(tag: Tag, schema: ParameterSchema): JsonObject {
  const values: JsonObject = {};
  for (const [, key, double, single] of tag.rest.matchAll(ATTRIBUTE)) {
    if (key !== undefined && Object.hasOwn(schema.properties ?? {}, key))
      values[key] = double ?? single ?? '';
  }
  return values;
}

function emptyElement(
  context: BodyContext,
  { name, tag, attributes }: { name: string; tag: Tag; attributes: JsonObject },
): FormatReading | undefined {
  if (isUnclear(context, name, attributes)) return undefined;
  return callsOf(buildCall(name, attributes, context), tag.end);
}

/** Whether the element may as well be markup: it is named like HTML or lacks what the tool needs. */
function isUnclear(context: BodyContext, name: string, values: JsonObject): boolean {
  const required = context.tools.schema(name)?.required ?? [];
  if (Object.keys(values).length === 0 && HTML_ELEMENTS.has(name.toLowerCase())) return true;
  return Object.keys(values).length === 0 && required.length > 0;
}

/** The parameters between the tags; `undefined` when it is rather an element of the answer. */
function insideOf(
  context: BodyContext,
  { name, from, to, attributes }: { name: string; from: number; to: number; attributes: JsonObject },
): { given: JsonObject; unsafeKey?: string } | undefined {
  const { source, tools } = context;
  const schema = tools.schema(name);
  const whole = wholeInside(context, { name, from, to });
  if (whole) return { given: { ...attributes, ...whole } };
  const inner = readElements(from, { source, schema, to, decodeEntities: true, knownOnly: true });
  const given = { ...attributes, ...inner.values };
  const rest = skipSpace(source.text, inner.end);
  if (rest >= to)
    return isUnclear(context, name, given) && inner.count === 0
      ? undefined
      : { given, unsafeKey: inner.unsafeKey };
  if (inner.count > 0) return undefined;
  const text = trimNewline(source.text.slice(from, to)).trim();
  const sole = soleTextParameter(schema, attributes);
  if (sole === undefined || HTML_ELEMENTS.has(name.toLowerCase())) return undefined;
  return { given: { ...attributes, [sole]: decodeEntities(text) } };
}

/**
 * Arguments in the manner of another format: as `<parameter name="a">`, as a JSON object, or either of them or plain
 * elements in one `<arguments>`. They have to be parameters of the tool, and all that is there.
 */
function wholeInside(
  context: BodyContext,
  { name, from, to }: { name: string; from: number; to: number },
): JsonObject | undefined {
  const { source, tools } = context;
  const { text } = source;
  const schema = tools.schema(name);
  const at = skipSpace(text, from);
  const holder = readTag(text, at);
  if (
    holder &&
    !holder.closing &&
    isHolder(holder) &&
    !Object.hasOwn(schema?.properties ?? {}, holder.element)
  ) {
    const end = source.indexOf(`</${holder.element}>`, holder.end, to);
    if (end === undefined) return undefined;
    const inner = { name, from: holder.end, to: end };
    return wholeInside(context, inner) ?? elementsOf(context, inner);
  }
  if (startsParameter(text, at)) {
    const [verdict] = parameterElements(context, name, from).verdicts;
    return verdict && 'call' in verdict ? verdict.call.arguments : undefined;
  }
  if (text[at] !== '{') return undefined;
  const reading = source.readJson(at);
  if (!reading.ok || !reading.closed || reading.unsafeKey !== undefined) return undefined;
  const fits =
    skipSpace(text, reading.end) >= to && isObject(reading.value) && fitsSchema(reading.value, schema);
  return fits && isObject(reading.value) ? reading.value : undefined;
}

function elementsOf(
  { source, tools }: BodyContext,
  { name, from, to }: { name: string; from: number; to: number },
): JsonObject | undefined {
  const options = { source, schema: tools.schema(name), to, decodeEntities: true, knownOnly: true };
  const inner = readElements(from, options);
  const isWhole = !inner.cut && inner.unsafeKey === undefined && skipSpace(source.text, inner.end) >= to;
  return isWhole ? inner.values : undefined;
}

/** Without its closer the element counts only when it ends the text and its parameters are whole. */
function unclosed(context: BodyContext, name: string, tag: Tag): FormatReading | undefined {
  const { source, tools } = context;
  const first = readTag(source.text, skipSpace(source.text, tag.end));
  const properties = tools.schema(name)?.properties ?? {};
  if (!first || first.closing || !Object.hasOwn(properties, first.element)) return undefined;
  const body = elementsIn(context, name, tag.end, { decodeEntities: true, knownOnly: true });
  const [verdict] = body.verdicts;
  if (verdict === undefined || body.end === tag.end) return undefined;
  if (!('call' in verdict)) return { kind: 'calls', end: body.end, verdicts: body.verdicts };
  if (skipSpace(source.text, body.end) < source.text.length) {
    const broken = refusal('malformed', `The element of ${name} is not closed.`, name);
    return { kind: 'calls', end: body.end, verdicts: [broken] };
  }
  return { kind: 'calls', end: body.end, verdicts: body.verdicts };
}
