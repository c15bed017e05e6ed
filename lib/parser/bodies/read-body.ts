import { buildCall, refusal } from '../call-shape.ts';
import type { BodyContext, BodyReader, BodyReading, SourceText } from '../reading.ts';
import { skipSpace } from '../space.ts';
import { readName, skipSeparators } from './call-head.ts';
import { readElementBody, readNamedElementsBody, readParameterBody } from './element-body.ts';
import { readJsonBody } from './json-body.ts';
import { readMapBody } from './map-body.ts';
import { readNamedJsonBody } from './named-json-body.ts';
import { readPairsBody } from './pairs-body.ts';
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
 * Reads the calls after a marker in any notation: models mix notations, so the marker does not decide.
 *
 * @returns `undefined` when nothing after the marker resembles a call
 */
export function readBody(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  let next = skipLead(context.source, at);
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

/** Offset of the body, after white space, an opening fence and DeepSeek's `function<｜tool▁sep｜>`. */
function skipLead(source: SourceText, from: number): number {
  const { text } = source;
  const at = skipSeparators(source, from);
  const named = readName(text, at);
  if (named?.name !== 'function') return at;
  const after = skipSpace(text, named.end);
  const tag = source.tagAt(after);
  return tag?.token === '|tool_sep|' ? skipSpace(text, tag.end) : at;
}

/** A call without arguments: only the name, followed by a closing tag. */
function readBareName(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  const named = readName(text, at);
  if (named === undefined) return undefined;
  const closer = context.source.tagAt(skipSeparators(context.source, named.end));
  if (!closer) return undefined;
  const isCloser = closer.closing || /(?:_end|_call)\|?$/.test(closer.token);
  if (!isCloser) return undefined;
  const offered = context.tools.offered(named.name) !== undefined;
  const verdict = offered
    ? buildCall(named.name, {}, context)
    : refusal('malformed', 'The marked text names no offered tool.', named.name);
  return { kind: 'name', end: closer.at, verdicts: [verdict] };
}
