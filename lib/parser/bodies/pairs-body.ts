import type { JsonObject } from '../../util/json.ts';
import { buildCall, refusal } from '../call-shape.ts';
import { UNSAFE_KEYS } from '../json/json-reader.ts';
import type { BodyContext, BodyReading, SourceText } from '../reading.ts';
import { skipSpace } from '../space.ts';
import { readName, skipSeparators } from './call-head.ts';
import { pairNesting } from './tag-nesting.ts';

/** LongCat and Hunyuan decorate the four tags: `<longcat_arg_key>`, `<arg_value:x>`. */
const KEY_OPENER = /<(?:[a-z]{1,20}_)?arg_key(?::\w{1,20})?>/y;
const VALUE_OPENER = /<(?:[a-z]{1,20}_)?arg_value(?::\w{1,20})?>/y;
const INNER_OPENER = /<(?:[a-z]{1,20}_)?arg_value(?::\w{1,20})?>/g;
const CALL_CLOSER = /<\/(?:[a-z]{1,20}_)?tool_call(?::\w{1,20})?>/y;
const KEY_CLOSER = /<\/(?:[a-z]{1,20}_)?arg_key(?::\w{1,20})?>/g;
const VALUE_CLOSER = /<\/(?:[a-z]{1,20}_)?arg_value(?::\w{1,20})?>/g;
const ESCAPED_BREAKS_AT_END = /(?:\\n)+$/;
const UNCLOSED_VALUE_END =
  /<(?:[a-z]{1,20}_)?arg_key(?::\w{1,20})?>|<\/(?:[a-z]{1,20}_)?tool_call(?::\w{1,20})?>/g;

/** A name and key-value pairs: `f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>`. Values are raw text. */
export function readPairsBody(context: BodyContext, at: number): BodyReading | undefined {
  const { source } = context;
  const { text } = source;
  const named = readName(text, at);
  if (named === undefined) return undefined;
  // Line breaks may arrive as the two characters of their escape.
  const name = named.name.replace(ESCAPED_BREAKS_AT_END, '');
  let next = skipSeparators(source, skipBreaks(text, named.end));
  let opener = lengthAt(KEY_OPENER, text, next);
  if (opener === 0) return undefined;
  const values: JsonObject = {};
  const fail = (reason: 'cut' | 'malformed' | 'unsafe-key', message: string, end: number): BodyReading => ({
    kind: 'pairs',
    end,
    verdicts: [refusal(reason, message, name)],
  });
  while (opener > 0) {
    const keyEnd = source.find(KEY_CLOSER, next);
    if (!keyEnd) return fail('cut', `The call of ${name} is cut off inside a key.`, text.length);
    const key = text.slice(next + opener, keyEnd.at).trim();
    const valueOpener = skipBreaks(text, keyEnd.end);
    const start = valueOpener + lengthAt(VALUE_OPENER, text, valueOpener);
    if (start === valueOpener) {
      const cut = '<arg_value>'.startsWith(text.slice(valueOpener, valueOpener + 16));
      const message = `The parameter "${key}" of ${name} has no value.`;
      return fail(cut ? 'cut' : 'malformed', message, keyEnd.end);
    }
    if (UNSAFE_KEYS.has(key))
      return fail('unsafe-key', `The call of ${name} contains the key "${key}".`, start);
    const value = valueEnd(context, start);
    if (value === 'unclear') return fail('malformed', unclearMessage(name), text.length);
    if (!value) return fail('cut', `The call of ${name} is cut off inside "${key}".`, text.length);
    values[key] = text.slice(start, value.at);
    next = skipBreaks(text, value.end);
    opener = lengthAt(KEY_OPENER, text, next);
  }
  if (hasTextLeft(source, next)) return fail('malformed', unclearMessage(name), text.length);
  const verdict = buildCall(name, values, context);
  if ('call' in verdict) verdict.call.untyped = true;
  return { kind: 'pairs', end: next, verdicts: [verdict] };
}

/** Offset after white space and escaped line breaks. */
function skipBreaks(text: string, from: number): number {
  let at = skipSpace(text, from);
  while (text.startsWith('\\n', at)) at = skipSpace(text, at + 2);
  return at;
}

function unclearMessage(name: string): string {
  return `A value in the call of ${name} contains <arg_value> tags, so its end is unclear.`;
}

/** Where a value ends. It may contain whole pairs, and closing tags that text follows. */
function valueEnd(
  { source }: BodyContext,
  from: number,
): { at: number; end: number } | 'unclear' | undefined {
  const first = source.find(VALUE_CLOSER, from);
  if (!first) {
    const end = source.find(UNCLOSED_VALUE_END, from);
    return end && { at: end.at, end: end.at };
  }
  const opener = source.find(INNER_OPENER, from);
  const nesting = opener && opener.at < first.at ? pairNesting(source) : undefined;
  let closer = nesting ? nesting.closerOf(from) : first;
  if (!closer) return isValueEnd(source, first.end) ? first : 'unclear';
  while (!isValueEnd(source, closer.end)) {
    const next = pairNesting(source).closerOf(closer.end);
    if (!next) break;
    const isSurplus = skipBreaks(source.text, closer.end) === next.at;
    if (isSurplus && !source.text.slice(from, closer.at).includes('<'))
      return { at: closer.at, end: next.end };
    closer = next;
  }
  return { at: closer.at, end: closer.end };
}

/** Whether a key or the end of the call follows. */
function isValueEnd({ text }: SourceText, from: number): boolean {
  const next = skipBreaks(text, from);
  return next >= text.length || lengthAt(KEY_OPENER, text, next) > 0 || lengthAt(CALL_CLOSER, text, next) > 0;
}

/** Whether the closing tag of a value follows the call without an opening one: a value quoted the end of a call. */
function hasTextLeft(source: SourceText, from: number): boolean {
  const { text } = source;
  const at = skipBreaks(text, from);
  const closer = source.find(VALUE_CLOSER, at + lengthAt(CALL_CLOSER, text, at));
  const opener = closer && source.find(INNER_OPENER, at);
  return closer !== undefined && (!opener || closer.at < opener.at);
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
