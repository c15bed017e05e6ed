import type { JsonObject } from '../../util/json.ts';
import { buildCall } from '../call-shape.ts';
import { UNSAFE_KEYS } from '../json-reader.ts';
import { skipSpace } from '../source.ts';
import type { BodyContext, BodyReading } from './body.ts';
import { refusal } from './json-body.ts';
import { readName, skipSeparators } from './named-json-body.ts';

const KEY_OPENER = '<arg_key>';
const VALUE_OPENER = '<arg_value>';
const KEY_CLOSER = /<\/arg_key>/g;
const VALUE_CLOSER = /<\/arg_value>/g;
const UNCLOSED_VALUE_END = /<arg_key>|<\/tool_call>/g;

/** A name and pairs of key and value: `f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>`. Values are raw text. */
export function readPairsBody(context: BodyContext, at: number): BodyReading | undefined {
  const { source } = context;
  const { text } = source;
  const named = readName(text, at);
  if (named === undefined) return undefined;
  const { name } = named;
  let next = skipSeparators(text, named.end);
  if (!text.startsWith(KEY_OPENER, next)) return undefined;
  const values: JsonObject = {};
  const fail = (reason: 'cut' | 'malformed' | 'unsafe-key', message: string, end: number): BodyReading => ({
    kind: 'pairs',
    end,
    verdicts: [refusal(reason, message, name)],
  });
  while (text.startsWith(KEY_OPENER, next)) {
    const keyEnd = source.find(KEY_CLOSER, next);
    if (!keyEnd) return fail('cut', `The call of ${name} is cut off inside a key.`, text.length);
    const key = text.slice(next + KEY_OPENER.length, keyEnd.at).trim();
    const opener = skipSpace(text, keyEnd.end);
    if (!text.startsWith(VALUE_OPENER, opener)) {
      const cut = VALUE_OPENER.startsWith(text.slice(opener));
      return fail(cut ? 'cut' : 'malformed', `The parameter "${key}" of ${name} has no value.`, keyEnd.end);
    }
    if (UNSAFE_KEYS.has(key))
      return fail('unsafe-key', `The call of ${name} holds the key "${key}".`, opener);
    const start = opener + VALUE_OPENER.length;
    const end = valueEnd(context, start);
    if (!end) return fail('cut', `The call of ${name} is cut off inside "${key}".`, text.length);
    values[key] = text.slice(start, end.at);
    next = skipSpace(text, end.behind);
  }
  const verdict = buildCall(name, values, context);
  if ('call' in verdict) verdict.call.untyped = true;
  return { kind: 'pairs', end: next, verdicts: [verdict] };
}

function valueEnd({ source }: BodyContext, from: number): { at: number; behind: number } | undefined {
  const closer = source.find(VALUE_CLOSER, from);
  if (closer) return { at: closer.at, behind: closer.end };
  const end = source.find(UNCLOSED_VALUE_END, from);
  return end && { at: end.at, behind: end.at };
}
