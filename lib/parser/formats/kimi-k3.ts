import type { JsonObject } from '../../util/json.ts';
import { buildCall, refusal } from '../call-shape.ts';
import { UNSAFE_KEYS } from '../json/json-reader.ts';
import { skipSpace } from '../space.ts';
import type { Format, FormatContext, FormatReading } from './format.ts';

const OPEN = /<\|open\|>\s{0,8}(\w{1,32})((?:\s{1,8}\w{1,32}="[^"\n]{0,256}"){0,8})\s{0,8}<\|sep\|>/y;
const CLOSE = /<\|close\|>\s{0,8}(\w{1,32})\s{0,8}<\|sep\|>/y;
const ARGUMENT_END = /<\|close\|>\s{0,8}argument\s{0,8}<\|sep\|>/g;
const THINK_END = /<\|close\|>\s{0,8}think\s{0,8}<\|sep\|>/g;

/** Kimi K3: `<|open|>call tool="f"<|sep|><|open|>argument key="a"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>`. */
export const kimiK3: Format = {
  name: 'kimi-k3',
  layer: 'xml',
  triggers: ['<'],
  read(context, { at, tag }) {
    const { text } = context.source;
    if (tag?.token === '|close|') {
      CLOSE.lastIndex = at;
      const close = CLOSE.exec(text)?.[0];
      return close === undefined ? undefined : { kind: 'control', end: at + close.length, hidden: 'always' };
    }
    if (tag?.token !== '|open|') return undefined;
    const opener = readOpener(text, at);
    if (opener === undefined) return undefined;
    if (opener.element === 'call') return readCall(context, opener);
    if (opener.element !== 'think') return { kind: 'control', end: opener.end, hidden: 'always' };
    const closer = context.source.find(THINK_END, opener.end);
    const to = closer?.at ?? text.length;
    return { kind: 'thinking', from: opener.end, to, end: closer?.end ?? to };
  },
};

interface OpenTag {
  element: string;
  attributes: string;
  end: number;
}

function readOpener(text: string, at: number): OpenTag | undefined {
  OPEN.lastIndex = at;
  const match = OPEN.exec(text);
  const element = match?.[1];
  if (!match || element === undefined) return undefined;
  return { element, attributes: match[2] ?? '', end: at + match[0].length };
}

function attributeOf({ attributes }: OpenTag, name: 'tool' | 'key'): string {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}

function readCall(context: FormatContext, opener: OpenTag): FormatReading {
  const { source, tools } = context;
  const { text } = source;
  const name = attributeOf(opener, 'tool');
  const values: JsonObject = {};
  let unsafeKey: string | undefined;
  let end = opener.end;
  for (;;) {
    const argument = readOpener(text, skipSpace(text, end));
    if (argument?.element !== 'argument') break;
    const closer = source.find(ARGUMENT_END, argument.end);
    if (!closer) {
      const verdict = refusal('cut', `The call of ${name} is cut off inside an argument.`, name);
      return { kind: 'calls', end: text.length, verdicts: [verdict] };
    }
    const key = attributeOf(argument, 'key');
    if (UNSAFE_KEYS.has(key)) unsafeKey = key;
    else values[key] = text.slice(argument.end, closer.at);
    end = closer.end;
  }
  CLOSE.lastIndex = skipSpace(text, end);
  const closed = CLOSE.exec(text);
  if (closed?.[1] === 'call') end = CLOSE.lastIndex;
  else if (Object.keys(values).length === 0) {
    const verdict = refusal('cut', `The call of ${name} is cut off.`, name);
    return { kind: 'calls', end, verdicts: [verdict] };
  }
  const verdict = buildCall(name, values, { tools, strength: 'strong', unsafeKey });
  if ('call' in verdict) verdict.call.untyped = true;
  return { kind: 'calls', end, verdicts: [verdict] };
}
