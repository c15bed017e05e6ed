import { buildCall } from '../call-shape.ts';
import { skipSpace } from '../source.ts';
import { readTag } from '../tags.ts';
import type { BodyContext, BodyReader, BodyReading } from './body.ts';
import { readElementBody, readNamedElementsBody } from './element-body.ts';
import { readJsonBody, refusal } from './json-body.ts';
import { readMapBody } from './map-body.ts';
import { readName, readNamedJsonBody, skipSeparators } from './named-json-body.ts';
import { readPairsBody } from './pairs-body.ts';
import { readParameterBody } from './parameter-body.ts';
import { readPythonBody } from './python-body.ts';

/** Tried in this order; the first character decides between most of them. */
const READERS: readonly BodyReader[] = [
  readJsonBody,
  readMapBody,
  readParameterBody,
  readElementBody,
  readPythonBody,
  readPairsBody,
  readNamedJsonBody,
  readNamedElementsBody,
];

const JSON_START = /\[\s{0,200}(?:[[{"\]]|$)/y;
const BETWEEN = /[\s,;]*/y;
const MAX_BODIES = 10_000;

/**
 * The calls behind a marker, whichever way they are written: models mix the ways, so the marker does not decide.
 *
 * @returns `undefined` when nothing behind the marker resembles a call
 */
export function readBody(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  let next = skipLead(text, at);
  const first = readOne(context, next);
  if (first === undefined) return readBareName(context, next);
  const verdicts = [...first.verdicts];
  let { end } = first;
  for (let count = 1; count < MAX_BODIES && isSound(first); count++) {
    BETWEEN.lastIndex = end;
    next = end + (BETWEEN.exec(text)?.[0].length ?? 0);
    if (!'{[<'.includes(text[next] ?? ' ')) break;
    const more = readOne(context, next);
    if (more === undefined || more.kind !== first.kind || !isSound(more)) break;
    verdicts.push(...more.verdicts);
    end = more.end;
  }
  return { kind: first.kind, end, verdicts };
}

function isSound(reading: BodyReading): boolean {
  return reading.verdicts.some((verdict) => 'call' in verdict);
}

function readOne(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  for (const read of READERS) {
    if (read === readJsonBody && text[at] === '[' && !startsJsonList(text, at)) continue;
    const reading = read(context, at);
    if (reading) return reading;
  }
  return undefined;
}

function startsJsonList(text: string, at: number): boolean {
  JSON_START.lastIndex = at;
  return JSON_START.test(text);
}

/** Offset of the body: behind white space, an opening fence and DeepSeek's `function<｜tool▁sep｜>`. */
function skipLead(text: string, from: number): number {
  const at = skipSeparators(text, from);
  const named = readName(text, at);
  if (named?.name !== 'function') return at;
  const behind = skipSpace(text, named.end);
  const tag = readTag(text, behind);
  return tag?.token === '|tool_sep|' ? skipSpace(text, tag.end) : at;
}

/** A call of a tool without arguments: the name alone, closed by a tag. */
function readBareName(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  const named = readName(text, at);
  if (named === undefined) return undefined;
  const closer = readTag(text, skipSpace(text, named.end));
  if (!closer) return undefined;
  const isCloser = closer.closing || /(?:_end|_call)\|?$/.test(closer.token);
  if (!isCloser) return undefined;
  const offered = context.tools.offered(named.name) !== undefined;
  const verdict = offered
    ? buildCall(named.name, {}, context)
    : refusal('malformed', 'The marked text names no offered tool.', named.name);
  return { kind: 'name', end: named.end, verdicts: [verdict] };
}
