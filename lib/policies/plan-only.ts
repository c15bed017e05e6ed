/** Words that claim completion (G13): `completed` and `done` are required, the others are additions. */
const COMPLETION_WORDS = new Set(['completed', 'done', 'complete', 'finished']);

/** One of these a few words before a completion word negates the claim: "not done yet". */
const NEGATIONS = new Set(['not', 'never', 'no', 'nothing', 'cannot', 'without', 'hardly', 'barely']);
/** "Once done, I will report": a condition, not a claim. */
const CONDITIONS = new Set(['once', 'when', 'until', 'unless', 'if', 'before', 'after']);
/** "will be completed", "to complete": future, not a claim. */
const FUTURE = new Set(['be', 'to', 'will', 'must', 'should', 'can', "i'll", "we'll"]);
const LOOK_BACK = 3;

/**
 * Phrases that announce a next step. Alternatives of fixed words, so matching is linear. "Let me know" and "I will be
 * glad" end an answer and announce nothing.
 */
const NEXT_STEP =
  /\b(?:i will(?! be\b)|i'll(?! be\b)|i am going to|i'm going to|we will|we'll|let me(?! know\b)|let's|i need to|we need to|i should|i shall|i plan to|first,|next,|now i|next step|step 1|the plan\b|my plan\b)/i;

/**
 * Whether a text without calls only describes a plan (G13): it claims no completion, and either no tool has run yet
 * or it announces a next step.
 *
 * @param toolsRan whether the conversation contains a tool result
 */
export function isPlanOnly(text: string, { toolsRan }: { toolsRan: boolean }): boolean {
  if (text.trim() === '' || claimsCompletion(text)) return false;
  return !toolsRan || announcesNextStep(text);
}

/** Whether the text contains a completion word that is not negated. Matches whole words only. */
export function claimsCompletion(text: string): boolean {
  return normalized(text)
    .split(/[.!?;:\n]/)
    .some((sentence) => {
      const words = sentence.match(/[\p{L}\p{N}_']+/gu) ?? [];
      return words.some((word, index) => COMPLETION_WORDS.has(word) && isClaim(words, index));
    });
}

function isClaim(words: readonly string[], index: number): boolean {
  const before = words.slice(Math.max(0, index - LOOK_BACK), index);
  if (FUTURE.has(before.at(-1) ?? '')) return false;
  return !before.some((word) => NEGATIONS.has(word) || CONDITIONS.has(word) || word.endsWith("n't"));
}

function announcesNextStep(text: string): boolean {
  return NEXT_STEP.test(normalized(text));
}

/** Lowercase, with typographic apostrophes replaced by straight ones. */
function normalized(text: string): string {
  return text.toLowerCase().replaceAll('\u2019', "'");
}
