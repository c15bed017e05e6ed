import { modeFacts } from '../events/modes.ts';
import { isPlanOnly } from './plan-only.ts';
import type { ReadyState } from './rule.ts';

/**
 * Whether a task ends with a mere announcement: tools were offered, none has succeeded since the last nudge, and the
 * last reply is a plan (G13) or an unreadable call.
 *
 * Before the first tool call the nudge rule treats any text as a plan, even "42". To accept answers that need no
 * tool, this check is stricter: the text must pass the rule used after a tool call and end by announcing a step.
 */
export function announcedOnly(state: ReadyState): boolean {
  const { config, tools, callsSucceeded, lastText } = state;
  if (!modeFacts(config.mode).answers || tools.length === 0 || callsSucceeded > 0) return false;
  if (state.lastReplyLoss.malformed) return true;
  return config.nudge_plans && isPlanOnly(lastText, { toolsRan: true }) && endsAnnouncing(lastText);
}

/** A statement of intent, up to its verb. */
const INTENTION =
  /\b(?:(?:i|we)(?: will|'ll| shall| need to| have to| should| plan to| am going to|'m going to| are going to|'re going to)|let me|let's|my plan is to)((?: (?:now|first|then|also|just|next|start by|begin by|quickly|go ahead and))*)[ ,]+([a-z']+)/g;

/** Verbs that announce no work: talk, closing phrases, refusals. "Let me know", "I will not do that". */
const NO_WORK =
  /^(?:answer|ask|assist|assume|be|explain|have|help|know|leave|mention|need|never|not|note|recommend|say|stop|suggest|tell|think|wait)$/;

/**
 * Sentences that may follow an announcement without adding content: further steps, predictions, and asking whether to
 * proceed.
 */
const STEP =
  /^(?:then|next|after|afterwards|finally|lastly|last|once|when|first|firstly|second|third|step \d|and then|shall i|should i|may i|can i)\b|\bwill\b/;
const LIST_MARK = /^\s*(?:[-*\u2022]|\d{1,3}[.)])\s+/;

/** Whether a text ends by announcing work, with nothing after it but further steps. Runs in linear time. */
export function endsAnnouncing(text: string): boolean {
  const lines = text.toLowerCase().replaceAll('\u2019', "'").trimEnd().split('\n').toReversed();
  for (const line of lines) {
    const listed = LIST_MARK.test(line);
    const sentences = line.replace(LIST_MARK, '').split(/(?<=[.!?;:])\s+/);
    for (const sentence of sentences.toReversed()) {
      const words = sentence.replaceAll(/[*_#`.!?;:]/g, '').trim();
      if (words === '') continue;
      if (announces(words)) return true;
      if (!listed && !STEP.test(words)) return false;
    }
  }
  return false;
}

function announces(sentence: string): boolean {
  return [...sentence.matchAll(INTENTION)].some(([, , verb = '']) => !NO_WORK.test(verb));
}
