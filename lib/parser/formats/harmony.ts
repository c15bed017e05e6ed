import { buildCall, readJsonArguments, refusal } from '../call-shape.ts';
import type { BodyContext, SourceText } from '../reading.ts';
import { skipSpace } from '../space.ts';
import type { Format, FormatReading } from './format.ts';

const HEADER = /<\|(?:start|channel)\|>((?:(?!<\|message\|>)[^\n]){0,250})<\|message\|>/y;
/** Role and recipient before the channel, when the prompt or server consumed `<|start|>`. */
const ROLE = /^[ \t]*(?:assistant\b[ \t]*)?(?:to=([^\s<]{1,128})[^<\n]{0,40})?$/;
const MAX_ROLE_CHARS = 200;
const RECIPIENT = /\bto=([^\s<]{1,128})/;
const CHANNEL = /(?:<\|channel\|>|^)\s*(analysis|commentary|final)\b/;
const SEGMENT_END = /<\|(?:end|return|call|start|channel)\|>/g;
const CLOSERS = new Set(['|end|', '|return|', '|call|']);
const TALK = new Set(['user', 'assistant', 'all']);

/**
 * gpt-oss: segments, each with a header. A segment addressed to a function is a call, one on `analysis` is thinking,
 * others are text: `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}<|call|>`.
 */
export const harmony: Format = {
  name: 'harmony',
  layer: 'xml',
  triggers: ['<'],
  read({ source, tools }, { at, tag, free }) {
    if (tag?.token !== '|start|' && tag?.token !== '|channel|') return undefined;
    HEADER.lastIndex = at;
    const header = HEADER.exec(source.text);
    if (!header) return undefined;
    const body = at + header[0].length;
    const role = roleBefore(source.text, free, at);
    const start = role?.start;
    const recipient = role?.recipient ?? RECIPIENT.exec(header[1] ?? '')?.[1];
    if (recipient !== undefined && !TALK.has(recipient)) {
      return { start, ...callTo({ source, tools, strength: 'strong' }, recipient, body) };
    }
    const channel = CHANNEL.exec(header[1] ?? '')?.[1];
    if (channel !== 'analysis') return { start, kind: 'control', end: body, hidden: 'always' };
    const closer = source.find(SEGMENT_END, body);
    const to = closer?.at ?? source.text.length;
    return { start, kind: 'thinking', from: body, to, end: skipCloser(source, to) };
  },
};

/** ` to=functions.f` or `assistant to=functions.f` before a header, if it is alone on its line. */
function roleBefore(
  text: string,
  free: number,
  at: number,
): { start: number; recipient: string | undefined } | undefined {
  const from = Math.max(free, at - MAX_ROLE_CHARS);
  const before = text.slice(from, at);
  const lineBreak = before.lastIndexOf('\n');
  if (lineBreak === -1 && from > free) return undefined;
  const line = before.slice(lineBreak + 1);
  const role = line.trim() === '' ? null : ROLE.exec(line);
  return role ? { start: from + lineBreak + 1, recipient: role[1] } : undefined;
}

function callTo(context: BodyContext, name: string, at: number): FormatReading {
  const { text } = context.source;
  const start = skipSpace(text, at);
  const boundary = (from: number) => {
    const found = context.source.find(SEGMENT_END, from);
    return found && { at: found.at, closes: true };
  };
  if (text[start] !== '{' && text[start] !== '[') {
    const closer = context.source.tagAt(start);
    if (closer && CLOSERS.has(closer.token)) {
      return { kind: 'calls', end: closer.end, verdicts: [buildCall(name, {}, context)] };
    }
    const segment = context.source.find(SEGMENT_END, start);
    const verdict = segment
      ? refusal('malformed', `The call of ${name} has no JSON arguments.`, name)
      : refusal('cut', `The call of ${name} is cut off.`, name);
    return { kind: 'calls', end: segment?.end ?? text.length, verdicts: [verdict] };
  }
  const { verdict, end } = readJsonArguments({ ...context, boundary }, { name, at: start });
  return { kind: 'calls', end: skipCloser(context.source, end), verdicts: [verdict] };
}

function skipCloser(source: SourceText, from: number): number {
  const tag = source.tagAt(skipSpace(source.text, from));
  return tag && CLOSERS.has(tag.token) ? tag.end : from;
}
