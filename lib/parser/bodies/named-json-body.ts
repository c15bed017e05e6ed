import { isObject, readCalls } from '../call-shape.ts';
import { skipSpace } from '../source.ts';
import { readBracketToken, readTag } from '../tags.ts';
import type { BodyContext, BodyReading } from './body.ts';
import { readJsonArguments } from './json-arguments.ts';
import { readTolerantly } from './json-body.ts';

const NAME = /[^\s<>{}()[\]"'`,;|｜]{1,128}/y;
const FENCE = /```(?:json)?[ \t]*\n?/y;
const CALL_ID = /\[CALL_ID\][^\s[{]{0,128}/y;

/** Tokens between a name and its arguments. */
const SEPARATORS = new Set([
  '|tool_call_argument_begin|',
  '|tool_sep|',
  'tool_sep',
  '|message|',
  '|content|',
  '|plugin|',
  '|interpreter|',
  '[args]',
]);

/** A name followed by its arguments: `f{…}`, `f[ARGS]{…}`, `f\n{…}`, `f<｜tool▁sep｜>{…}`, `f` and a JSON fence. */
export function readNamedJsonBody(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  const named = readName(text, at);
  if (named === undefined) return undefined;
  const start = skipSeparators(text, named.end);
  if (text[start] !== '{' && !(text[start] === '[' && start > named.end)) return undefined;
  const { name } = named;
  const reading = readTolerantly(context, start);
  if (reading.ok && context.tools.offered(name) === undefined && isObject(reading.value)) {
    // `json {"name": …}`: the word in front is no name when the object brings its own.
    const inner = readCalls(reading.value, { ...context, unsafeKey: reading.unsafeKey });
    if (inner.some((verdict) => 'call' in verdict))
      return { kind: 'json', end: reading.end, verdicts: inner };
  }
  const { verdict, end } = readJsonArguments(context, { name, at: start, reading });
  return { kind: 'named-json', end: reading.ok ? behindBraces(text, end) : end, verdicts: [verdict] };
}

/** A brace too many is common, and says nothing about the call. */
function behindBraces(text: string, from: number): number {
  let end = from;
  while (text[end] === '}') end++;
  return end;
}

/** A tool's name at an offset, as models write it bare. */
export function readName(text: string, at: number): { name: string; end: number } | undefined {
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0];
  return name === undefined ? undefined : { name, end: at + name.length };
}

/** Offset behind white space, separator tokens, call ids and an opening fence. */
export function skipSeparators(text: string, from: number): number {
  let at = skipSpace(text, from);
  for (;;) {
    const next = separatorEnd(text, at);
    if (next === undefined) return at;
    at = skipSpace(text, next);
  }
}

function separatorEnd(text: string, at: number): number | undefined {
  const char = text[at];
  if (char === '<') {
    const tag = readTag(text, at);
    return tag && SEPARATORS.has(tag.token) ? tag.end : undefined;
  }
  if (char === '[') {
    CALL_ID.lastIndex = at;
    const id = CALL_ID.exec(text)?.[0];
    if (id !== undefined) return at + id.length;
    const token = readBracketToken(text, at);
    return token && SEPARATORS.has(token.token) ? token.end : undefined;
  }
  if (char !== '`') return undefined;
  FENCE.lastIndex = at;
  const fence = FENCE.exec(text)?.[0];
  return fence === undefined ? undefined : at + fence.length;
}
