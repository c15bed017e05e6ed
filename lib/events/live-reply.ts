import { certainText } from '../parser/certain-text.ts';
import { thinkingAt } from '../parser/thinking.ts';
import type { ToolDefinition } from '../parser/types.ts';

/** A reply that is still being written, divided as far as its parts can be recognized. */
export interface LiveReply {
  /** The thinking in it, without its tags. */
  readonly thinking: string;
  readonly text: string;
  /** What is probably a call, as it was written; empty if there is none yet. */
  readonly call: string;
}

/** A call names its tool early. Anything else is a sample, and is shown like the text around it. */
const NAMED_WITHIN_CHARS = 100;
/** Bounds the work for each piece of a long reply. Text after this many tags and samples is shown as it arrives. */
const MAX_MARKS = 50;
const CALL_MARK =
  /^(?:<\/?(?:[|｜]|(?:[a-z][\w-]*:)?(?:tool|use_tool|function|start_function|invoke|longcat_tool))|\[\/?tool_call|\]<\])/;
/** The beginning of a tag, at the end of what has arrived. */
const TAG_START = /[<[][^\s<>[\]]{0,30}$/;

/**
 * Separates thinking and calls from the text of a reply that is still being written. Only the whole reply is parsed
 * (P2), so this is a guess, which the parsed reply replaces. Pure.
 *
 * @param tools those that the request offered
 */
export function liveReply(written: string, tools: readonly ToolDefinition[]): LiveReply {
  const names = tools.map((tool) => tool.function.name.toLowerCase());
  let thinking = '';
  let text = '';
  /** The end of the separated text, and of the text in which no call begins. */
  let at = 0;
  let searched = 0;
  for (let marks = 0; marks < MAX_MARKS; marks += 1) {
    const { length, markup } = certainText(written, searched, tools);
    if (markup === undefined)
      return { thinking, text: text + written.slice(at, Math.max(at, length)), call: '' };
    const thought = thinkingAt(written, markup);
    if (thought) {
      const before = text + written.slice(at, markup);
      // Its opening tag was in the prompt: all so far was thinking.
      const isLate = thought.from === 0;
      text = isLate ? '' : before;
      thinking += isLate ? before : written.slice(thought.from, thought.to);
      at = thought.end;
      searched = at;
      if (at === written.length) return { thinking: thinking.replace(TAG_START, ''), text, call: '' };
    } else if (isCall(written.slice(markup, markup + NAMED_WITHIN_CHARS), names)) {
      return { thinking, text: text + written.slice(at, length), call: written.slice(length).trimStart() };
    } else {
      searched = markup + 1;
    }
  }
  return { thinking, text: text + written.slice(at), call: '' };
}

/** Whether a call probably begins here: it is marked as one, names an offered tool, or may still do so. */
function isCall(beginning: string, names: readonly string[]): boolean {
  if (names.length === 0) return false;
  const lower = beginning.toLowerCase();
  return (
    CALL_MARK.test(lower) || lower.length < NAMED_WITHIN_CHARS || names.some((name) => lower.includes(name))
  );
}
