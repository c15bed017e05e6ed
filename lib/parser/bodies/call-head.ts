import type { SourceText } from '../reading.ts';
import { skipSpace } from '../space.ts';
import { readBracketToken, undecorated } from '../tags.ts';

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

/** Reads an unquoted tool name at an offset. */
export function readName(text: string, at: number): { name: string; end: number } | undefined {
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0];
  return name === undefined ? undefined : { name, end: at + name.length };
}

/** Offset after white space, separator tokens, call IDs and an opening fence. */
export function skipSeparators(source: SourceText, from: number): number {
  const { text } = source;
  let at = skipSpace(text, from);
  for (;;) {
    const next = separatorEnd(source, at);
    if (next === undefined) return at;
    at = skipSpace(text, next);
  }
}

function separatorEnd(source: SourceText, at: number): number | undefined {
  const { text } = source;
  const char = text[at];
  if (char === '<') {
    const tag = source.tagAt(at);
    if (!tag) return undefined;
    const known = SEPARATORS.has(tag.token) || undecorated(tag.token).some((plain) => SEPARATORS.has(plain));
    return known ? tag.end : undefined;
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
