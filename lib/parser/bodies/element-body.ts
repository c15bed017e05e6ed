import { buildCall } from '../call-shape.ts';
import { skipSpace } from '../source.ts';
import { readTag, type Tag } from '../tags.ts';
import type { BodyContext, BodyReading } from './body.ts';
import { type ElementsOptions, readElements } from './elements.ts';
import { readJsonArguments } from './json-arguments.ts';
import { refusal } from './json-body.ts';
import { readName } from './named-json-body.ts';
import { parameterElements, startsParameter } from './parameter-body.ts';

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

/** Name and arguments in elements of their own: `<tool_name>f</tool_name><parameters><a>1</a></parameters>`. */
export function readElementBody(context: BodyContext, at: number): BodyReading | undefined {
  const { source } = context;
  const opener = readTag(source.text, at);
  if (!opener || opener.closing || !NAME_ELEMENTS.has(opener.element.toLowerCase())) return undefined;
  const named = readName(source.text, skipSpace(source.text, opener.end));
  if (named === undefined) return undefined;
  const closer = readTag(source.text, skipSpace(source.text, named.end));
  if (!closer?.closing || closer.element !== opener.element) return undefined;
  const { name } = named;
  const holder = readTag(source.text, skipSpace(source.text, closer.end));
  if (!holder || holder.closing || holder.element === '') {
    return { kind: 'elements', end: closer.end, verdicts: [buildCall(name, {}, context)] };
  }
  // Without an element around them the parameters follow the name.
  if (startsParameter(source.text, holder.at)) return parameterElements(context, name, closer.end);
  if (!isHolder(holder)) return elementsIn(context, name, closer.end);
  const inside = skipSpace(source.text, holder.end);
  if (source.text[inside] === '{') {
    const { verdict, end } = readJsonArguments(context, { name, at: inside });
    return { kind: 'elements', end: behindCloser(source.text, end, holder), verdicts: [verdict] };
  }
  const body = elementsIn(context, name, holder.end);
  return { ...body, end: behindCloser(source.text, body.end, holder) };
}

/** Whether an element holds all arguments: `<arguments>`. */
export function isHolder(tag: Tag): boolean {
  return ARGUMENT_ELEMENTS.has(tag.element.toLowerCase());
}

/** A name followed by elements that are parameters of the offered tool: `read_file\n<path>a.txt</path>`. */
export function readNamedElementsBody(context: BodyContext, at: number): BodyReading | undefined {
  const { source, tools } = context;
  const named = readName(source.text, at);
  const offered = named && tools.offered(named.name);
  if (named === undefined || offered === undefined) return undefined;
  const first = readTag(source.text, skipSpace(source.text, named.end));
  const properties = tools.schema(offered)?.properties ?? {};
  if (!first || first.closing || !Object.hasOwn(properties, first.element)) return undefined;
  const body = elementsIn(context, named.name, named.end);
  const closer = readTag(source.text, skipSpace(source.text, body.end));
  return closer?.closing && closer.element === named.name ? { ...body, end: closer.end } : body;
}

/** A call of `name` whose parameters are the elements from an offset on. */
export function elementsIn(
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

function behindCloser(text: string, from: number, opener: Tag): number {
  const tag = readTag(text, skipSpace(text, from));
  return tag?.closing && tag.element === opener.element ? tag.end : from;
}
