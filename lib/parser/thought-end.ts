import { isAnnouncedAsExample } from './code-samples.ts';
import { isControlToken } from './control-tokens.ts';
import type { Format, FormatContext } from './formats/format.ts';
import { THOUGHT_ENDER } from './formats/markers.ts';
import { skipSpace } from './space.ts';

/**
 * Offset at which thinking without a closing tag ends: at the calls if nothing else follows, otherwise at the end of the
 * text. Kimi K2, GLM, Qwen 3, DeepSeek V4 and Gemma 4 sometimes omit the tag before a call, and their own parsers treat the
 * call as the end of thinking.
 *
 * A call followed by words is part of the thinking, and so is a call of a tool that was not offered.
 */
export function endOfOpenThought(context: FormatContext, formats: readonly Format[], from: number): number {
  const { source } = context;
  let next = from;
  for (;;) {
    const opener = source.find(THOUGHT_ENDER, next);
    if (opener === undefined) return source.text.length;
    const calls = readCallsFrom(context, formats, opener.at);
    const endText = calls.count > 0 && calls.end >= source.text.length;
    if (endText && !isAnnouncedAsExample(source.text, opener.at)) return opener.at;
    next = Math.max(calls.end, opener.end);
  }
}

/** Reads consecutive calls of offered tools and the tokens around them, up to anything else. */
function readCallsFrom(
  context: FormatContext,
  formats: readonly Format[],
  from: number,
): { count: number; end: number } {
  const { source, tools } = context;
  let count = 0;
  let end = from;
  for (;;) {
    const tag = source.tagAt(end);
    if (tag === undefined) return { count, end };
    if (isControlToken(tag.token)) {
      end = skipSpace(source.text, tag.end);
      continue;
    }
    const reading = firstReading(context, formats, end);
    if (reading === undefined || reading.end <= end) return { count, end };
    if (reading.kind === 'calls') {
      const sound = reading.verdicts.every((verdict) => 'call' in verdict && tools.schema(verdict.call.name));
      if (!sound) return { count, end };
      count += reading.verdicts.length;
    } else if (reading.kind !== 'control') return { count, end };
    end = skipSpace(source.text, reading.end);
  }
}

function firstReading(context: FormatContext, formats: readonly Format[], at: number) {
  const opener = { at, tag: context.source.tagAt(at), free: at };
  for (const format of formats) {
    const reading = format.read(context, opener);
    if (reading) return reading;
  }
  return undefined;
}
