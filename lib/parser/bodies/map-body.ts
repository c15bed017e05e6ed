import type { Dialect } from '../json/json-cursor.ts';
import { skipSpace } from '../source.ts';
import type { BodyContext, BodyReading } from './body.ts';
import { readJsonArguments } from './json-arguments.ts';
import { refusal } from './json-body.ts';
import { readName } from './named-json-body.ts';

const CALL = /call:[ \t]{0,4}/y;
const DELIMITERS = ['<escape>', '<|"|>'];

const DIALECTS: readonly Dialect[] = DELIMITERS.map((delimiter) => ({
  native: new Set(['bare-key', 'bare-value', 'trailing-comma']),
  delimiter,
}));

/** Gemma's map: `call:f{a:<escape>x<escape>,n:1}`, keys without quotes, text between two equal delimiters. */
export function readMapBody(context: BodyContext, at: number): BodyReading | undefined {
  const { source } = context;
  const { text } = source;
  CALL.lastIndex = at;
  const prefix = CALL.exec(text)?.[0];
  if (prefix === undefined) return undefined;
  const named = readName(text, at + prefix.length);
  if (named === undefined) return undefined;
  const start = skipSpace(text, named.end);
  const { name } = named;
  if (text[start] !== '{') {
    const verdict = refusal('malformed', `The call of ${name} has no arguments in braces.`, name);
    return { kind: 'map', end: named.end, verdicts: [verdict] };
  }
  const boundary = context.boundary?.(start);
  const dialect = DIALECTS.find((candidate) =>
    text.startsWith(candidate.delimiter ?? '', delimiterAt(text, start, boundary?.at)),
  );
  const options = { dialect: dialect ?? DIALECTS[0], closeAtMarker: true };
  let reading = source.readJson(start, options);
  if (!reading.ok && boundary?.closes)
    reading = source.readJsonAgain(start, { ...options, limit: boundary.at });
  const { verdict, end } = readJsonArguments(context, { name, at: start, reading });
  return { kind: 'map', end, verdicts: [verdict] };
}

/** Offset of the first text delimiter of the map, which decides which of the two is in use. */
function delimiterAt(text: string, from: number, limit: number | undefined): number {
  const window = text.slice(from, Math.min(limit ?? text.length, from + 4096));
  const found = /<escape>|<\|"\|>/.exec(window);
  return found ? from + found.index : text.length;
}
