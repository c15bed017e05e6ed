import { isRecord, type JsonObject } from '../../util/json.ts';
import { callOfElements, callOfParameters, isHolder } from '../bodies/element-body.ts';
import { decodeEntities, isParameter, readElements, trimNewline } from '../bodies/elements.ts';
import { buildCall, fitsSchema, refusal, soleTextParameter } from '../call-shape.ts';
import type { BodyContext, Verdict } from '../reading.ts';
import { skipSpace } from '../space.ts';
import type { Tag } from '../tags.ts';
import type { ParameterSchema } from '../types.ts';
import type { Format, FormatReading } from './format.ts';

const NAME = /<([^\s<>/]{1,128})/y;
const ATTRIBUTE = /([\p{L}_][\p{L}\p{N}_.-]{0,127})=(?:"([^"]*)"|'([^']*)')/gu;

const MENTION_CHARS = 200;
/** Words of a sentence before an element, and after its closing tag. */
const WORD_BEFORE = /[\p{L}\p{N},] $/u;
const WORD_AFTER = /^<\/[^>]*> [\p{L}\p{N}(]/u;

/** HTML elements that may share a tool's name. They are calls only if they contain parameters. */
const HTML_ELEMENTS = new Set(
  'a abbr address article aside audio b base body br button canvas caption cite code data details dialog div dl em embed figure footer form h1 h2 h3 head header html i iframe img input label legend li link main map mark menu meta meter nav object ol option output p picture pre progress q s script search section select slot small source span strong style sub summary svg table tbody td template text textarea th time title tr track u ul var video'.split(
    ' ',
  ),
);

/** An element named like an offered tool, with an element for each parameter: `<read_file><path>a</path></read_file>`. */
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
    const values = valuesInside(context, { name, from: tag.end, to, attributes });
    if (values === undefined) return undefined;
    if ('unclear' in values) return { kind: 'calls', end: source.text.length, verdicts: [values.unclear] };
    // A value may quote the closing tag.
    const closerAt = source.indexOf(closer, Math.max(to, values.end ?? to), source.text.length);
    const verdict = buildCall(name, values.given, { ...context, unsafeKey: values.unsafeKey });
    return callsOf(verdict, closerAt === undefined ? (values.end ?? to) : closerAt + closer.length);
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

/** Whether an empty element may be markup: it has an HTML name, or the tool requires parameters. */
function isUnclear(context: BodyContext, name: string, values: JsonObject): boolean {
  const required = context.tools.schema(name)?.required ?? [];
  if (Object.keys(values).length === 0 && HTML_ELEMENTS.has(name.toLowerCase())) return true;
  return Object.keys(values).length === 0 && required.length > 0;
}

type ArgumentsInside = { given: JsonObject; end?: number } | { unclear: Verdict };

/** The arguments between the tags; `undefined` when the element is probably part of the answer. */
function valuesInside(
  context: BodyContext,
  { name, from, to, attributes }: { name: string; from: number; to: number; attributes: JsonObject },
): (ArgumentsInside & { unsafeKey?: string }) | undefined {
  const { source, tools } = context;
  const schema = tools.schema(name);
  const whole = argumentsInside(context, { name, from, to });
  if (whole) return 'given' in whole ? { ...whole, given: { ...attributes, ...whole.given } } : whole;
  const inner = readElements(from, { source, schema, to, decodeEntities: true, knownOnly: true });
  const given = { ...attributes, ...inner.values };
  const rest = skipSpace(source.text, inner.end);
  if (rest >= to)
    return isUnclear(context, name, given) && inner.count === 0
      ? undefined
      : { given, unsafeKey: inner.unsafeKey };
  if (inner.count > 0) return undefined;
  if (isMention(source.text, { name, from, to })) return undefined;
  const text = trimNewline(source.text.slice(from, to)).trim();
  const sole = soleTextParameter(schema, attributes);
  if (sole === undefined || HTML_ELEMENTS.has(name.toLowerCase())) return undefined;
  return { given: { ...attributes, [sole]: decodeEntities(text) } };
}

/** Whether the tags are named within a sentence: "between <f> and </f> tags". An argument is not set off by a blank there. */
function isMention(text: string, { name, from, to }: { name: string; from: number; to: number }): boolean {
  if (!/^[ \t]/.test(text.slice(from, from + 1))) return false;
  const before = text.slice(0, from - name.length - 2);
  return (
    WORD_BEFORE.test(before.slice(-MENTION_CHARS)) && WORD_AFTER.test(text.slice(to, to + MENTION_CHARS))
  );
}

/**
 * Arguments in another format's notation: `<parameter name="a">` elements, a JSON object, or either of them or plain
 * elements inside `<arguments>`. They must be parameters of the tool, with nothing else next to them.
 */
function argumentsInside(
  context: BodyContext,
  { name, from, to }: { name: string; from: number; to: number },
): ArgumentsInside | undefined {
  const { source, tools } = context;
  const { text } = source;
  const schema = tools.schema(name);
  const at = skipSpace(text, from);
  const first = source.tagAt(at);
  if (first && !first.closing && isHolder(first) && !Object.hasOwn(schema?.properties ?? {}, first.element)) {
    const end = source.indexOf(`</${first.element}>`, first.end, to);
    if (end === undefined) return undefined;
    const inner = { name, from: first.end, to: end };
    const given = elementsOf(context, inner);
    return argumentsInside(context, inner) ?? (given && { given });
  }
  if (first && isParameter(first)) {
    const { verdicts, end } = callOfParameters(context, name, from);
    const [verdict] = verdicts;
    if (verdict && 'call' in verdict) return { given: verdict.call.arguments, end };
    return verdict?.refusal.reason === 'malformed' ? { unclear: verdict } : undefined;
  }
  if (text[at] !== '{') return undefined;
  const reading = source.readJson(at);
  if (!reading.ok || !reading.closed || reading.unsafeKey !== undefined) return undefined;
  const fits =
    skipSpace(text, reading.end) >= to && isRecord(reading.value) && fitsSchema(reading.value, schema);
  return fits && isRecord(reading.value) ? { given: reading.value } : undefined;
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

/** An element without a closing tag is a call only at the end of the text and with complete parameters. */
function unclosed(context: BodyContext, name: string, tag: Tag): FormatReading | undefined {
  const { source, tools } = context;
  const first = source.tagAt(skipSpace(source.text, tag.end));
  const properties = tools.schema(name)?.properties ?? {};
  if (!first || first.closing || !Object.hasOwn(properties, first.element)) return undefined;
  const body = callOfElements(context, name, tag.end, { decodeEntities: true, knownOnly: true });
  const [verdict] = body.verdicts;
  if (verdict === undefined || body.end === tag.end) return undefined;
  if (!('call' in verdict)) return { kind: 'calls', end: body.end, verdicts: body.verdicts };
  if (skipSpace(source.text, body.end) < source.text.length) {
    const broken = refusal('malformed', `The element of ${name} is not closed.`, name);
    return { kind: 'calls', end: body.end, verdicts: [broken] };
  }
  return { kind: 'calls', end: body.end, verdicts: body.verdicts };
}
