import type { JsonObject } from '../../util/json.ts';
import { buildCall, refusal } from '../call-shape.ts';
import { UNSAFE_KEYS } from '../json/json-reader.ts';
import type { BodyContext, BodyReading } from '../reading.ts';
import { skipSpace } from '../space.ts';
import { readName, skipSeparators } from './call-head.ts';

/** LongCat and Hunyuan decorate the four tags: `<longcat_arg_key>`, `<arg_value:x>`. */
const KEY_OPENER = /<(?:[a-z]{1,20}_)?arg_key(?::\w{1,20})?>/y;
const VALUE_OPENER = /<(?:[a-z]{1,20}_)?arg_value(?::\w{1,20})?>/y;
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
    if (UNSAFE_KEYS.has(key)) return fail('unsafe-key', `The call of ${name} holds the key "${key}".`, start);
    const value = valueEnd(context, start);
    if (!value) return fail('cut', `The call of ${name} is cut off inside "${key}".`, text.length);
    values[key] = text.slice(start, value.at);
    next = skipBreaks(text, value.end);
    opener = lengthAt(KEY_OPENER, text, next);
  }
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

function valueEnd({ source }: BodyContext, from: number): { at: number; end: number } | undefined {
  const closer = source.find(VALUE_CLOSER, from);
  if (closer) return { at: closer.at, end: closer.end };
  const end = source.find(UNCLOSED_VALUE_END, from);
  return end && { at: end.at, end: end.at };
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
