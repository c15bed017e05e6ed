import { readJsonArguments, refusal } from '../call-shape.ts';
import type { Dialect } from '../json/json-cursor.ts';
import type { BodyContext, BodyReading } from '../reading.ts';
import { skipSpace } from '../space.ts';
import { readName } from './call-head.ts';

/** Models sometimes add a colon before or after the word. */
const CALL = /:?[ \t]{0,4}call:{1,2}[ \t]{0,4}/y;
/** The word is missing, but the delimiters inside the braces identify Gemma's map. */
const UNCALLED =
  /:?[ \t]{0,4}(?=[^\s{}<>]{1,128}\{\s{0,20}(?:[\w$-]{1,100}\s{0,20}:\s{0,20})?(?:<escape>|<\|"\|>))/y;
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
  UNCALLED.lastIndex = at;
  const prefix = (CALL.exec(text) ?? UNCALLED.exec(text))?.[0];
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

/** Offset of the map's first text delimiter, which decides the dialect. */
function delimiterAt(text: string, from: number, limit: number | undefined): number {
  const window = text.slice(from, Math.min(limit ?? text.length, from + 4096));
  const found = /<escape>|<\|"\|>/.exec(window);
  return found ? from + found.index : text.length;
}
