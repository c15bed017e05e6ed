import type { BodyContext } from '../bodies/body.ts';
import { readJsonArguments } from '../bodies/json-arguments.ts';
import { refusal } from '../bodies/json-body.ts';
import { skipSpace } from '../source.ts';
import { readTag } from '../tags.ts';
import type { Format, FormatReading } from './format.ts';

const HEADER = /<\|(?:start|channel)\|>((?:(?!<\|message\|>)[^\n]){0,250})<\|message\|>/y;
const RECIPIENT = /\bto=([^\s<]{1,128})/;
const CHANNEL = /(?:<\|channel\|>|^)\s*(analysis|commentary|final)\b/;
const SEGMENT_END = /<\|(?:end|return|call|start|channel)\|>/g;
const CLOSERS = new Set(['|end|', '|return|', '|call|']);
const TALK = new Set(['user', 'assistant', 'all']);

/**
 * gpt-oss: segments with a header each. One that is addressed to a function is a call, one on `analysis` is thought,
 * the others are text: `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}<|call|>`.
 */
export const harmony: Format = {
  name: 'harmony',
  layer: 'xml',
  triggers: ['<'],
  read({ source, tools }, { at, tag }) {
    if (tag?.token !== '|start|' && tag?.token !== '|channel|') return undefined;
    HEADER.lastIndex = at;
    const header = HEADER.exec(source.text);
    if (!header) return undefined;
    const body = at + header[0].length;
    const recipient = RECIPIENT.exec(header[1] ?? '')?.[1];
    if (recipient !== undefined && !TALK.has(recipient)) {
      return callTo({ source, tools, strength: 'strong' }, recipient, body);
    }
    const channel = CHANNEL.exec(header[1] ?? '')?.[1];
    if (channel !== 'analysis') return { kind: 'control', end: body, hidden: 'always' };
    const closer = source.find(SEGMENT_END, body);
    const to = closer?.at ?? source.text.length;
    return { kind: 'thinking', from: body, to, end: behindCloser(source.text, to) };
  },
};

function callTo(context: BodyContext, name: string, at: number): FormatReading {
  const { text } = context.source;
  const start = skipSpace(text, at);
  const boundary = (from: number) => {
    const found = context.source.find(SEGMENT_END, from);
    return found && { at: found.at, closes: true };
  };
  if (text[start] !== '{' && text[start] !== '[') {
    const segment = context.source.find(SEGMENT_END, start);
    const verdict = segment
      ? refusal('malformed', `The call of ${name} has no JSON arguments.`, name)
      : refusal('cut', `The call of ${name} is cut off.`, name);
    return { kind: 'calls', end: segment?.end ?? text.length, verdicts: [verdict] };
  }
  const { verdict, end } = readJsonArguments({ ...context, boundary }, { name, at: start });
  return { kind: 'calls', end: behindCloser(text, end), verdicts: [verdict] };
}

function behindCloser(text: string, from: number): number {
  const tag = readTag(text, skipSpace(text, from));
  return tag && CLOSERS.has(tag.token) ? tag.end : from;
}
