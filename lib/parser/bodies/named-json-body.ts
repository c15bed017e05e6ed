import { buildCall, isObject, readCalls } from '../call-shape.ts';
import { skipSpace } from '../source.ts';
import { readBracketToken, readTag } from '../tags.ts';
import type { BodyContext, BodyReading } from './body.ts';
import { readTolerantly, refusal } from './json-body.ts';

const NAME = /[^\s<>{}()[\]"'`,;|｜]{1,128}/y;
const FENCE = /```(?:json)?[ \t]*\n?/y;
const CALL_ID = /\[CALL_ID\][^\s[{]{0,128}/y;

/** Tokens between a name and its arguments. */
const SEPARATORS = new Set(['|tool_call_argument_begin|', '|tool_sep|', 'tool_sep', '|message|', '[args]']);

/** A name followed by its arguments: `f{…}`, `f[ARGS]{…}`, `f\n{…}`, `f<｜tool▁sep｜>{…}`, `f` and a JSON fence. */
export function readNamedJsonBody(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  const named = readName(text, at);
  if (named === undefined) return undefined;
  const start = skipSeparators(text, named.end);
  if (text[start] !== '{' && !(text[start] === '[' && start > named.end)) return undefined;
  const { name } = named;
  const reading = readTolerantly(context, start);
  if (!reading.ok) {
    const what = `The arguments of ${context.tools.resolve(name)}`;
    const cut = reading.reason === 'cut';
    const verdict = refusal(
      reading.reason,
      cut ? `${what} are cut off.` : `${what} are not valid JSON (stopped at offset ${reading.at}).`,
      name,
    );
    return { kind: 'named-json', end: Math.max(reading.at, start + 1), verdicts: [verdict] };
  }
  let { end } = reading;
  while (text[end] === '}') end++;
  if (context.tools.offered(name) === undefined && isObject(reading.value)) {
    // `json {"name": …}`: the word in front is no name when the object brings its own.
    const inner = readCalls(reading.value, context);
    if (inner.some((verdict) => 'call' in verdict)) return { kind: 'json', end, verdicts: inner };
  }
  const verdict =
    reading.unsafeKey === undefined
      ? buildCall(name, reading.value, context)
      : refusal('unsafe-key', `The call of ${name} holds the key "${reading.unsafeKey}".`, name);
  if ('call' in verdict) verdict.call.repairs.unshift(...reading.repairs);
  return { kind: 'named-json', end, verdicts: [verdict] };
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
