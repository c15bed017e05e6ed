import { errorMessage } from '../util/error-message.ts';

/** Quotes, emphasis and punctuation that a model may put around an answer; brackets and signs are part of it. */
const SURROUNDING = String.raw`[\s.,;:!?'"*_~·。、«»‹›\u0060\u2018-\u201f]`;
const BEFORE = new RegExp(`^${SURROUNDING}+`, 'u');
// The lookbehind keeps it linear: a run of such characters is only tried from its start.
const AFTER = new RegExp(`(?<!${SURROUNDING})${SURROUNDING}+$`, 'u');

/**
 * A text normalized for comparison: Unicode NFKC, lower case, one space between words, without surrounding quotes,
 * emphasis and punctuation, unless there is nothing else. Pure and idempotent.
 */
export function normalizedText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/g, ' ').trim();
  return folded.replace(BEFORE, '').replace(AFTER, '') || folded;
}

/** A number as people write it, which does not continue a word, a name or a version. */
const NUMBER = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}_]|\p{N}\.)`,
    '[-+]?',
    String.raw`(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)`,
    String.raw`(?:[eE][-+]?\d{1,3}(?!\d))?`,
  ].join(''),
  'gu',
);

/**
 * The last number in a text, which is where answers end up: "5 + 37 = 42 km." gives 42. Knows signs, decimal points,
 * exponents and commas between groups of three digits; digits within a word (`H2O`) do not count. Pure.
 */
export function lastNumber(text: string): number | undefined {
  const plain = text.normalize('NFKC').replaceAll('\u2212', '-');
  const last = Array.from(plain.matchAll(NUMBER), ([found]) => found).at(-1);
  return last === undefined ? undefined : Number(last.replaceAll(',', ''));
}

/** The content of a Markdown code block, from its first line to its last. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * The JSON of an answer: the whole answer, or the last code block in it that holds JSON. Pure.
 *
 * @returns `problem` if there is none
 */
export function jsonOfAnswer(answer: string): { value: unknown } | { problem: string } {
  const whole = parsed(answer);
  if ('value' in whole) return whole;
  const blocks = codeBlocks(answer);
  for (const block of blocks.toReversed()) {
    const found = parsed(block);
    if ('value' in found) return found;
  }
  const last = blocks.at(-1);
  return last === undefined ? whole : parsed(last);
}

function parsed(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

function codeBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = FENCE.exec(line)?.[1];
    if (open && fence?.startsWith(open.fence) && line.trim() === fence) {
      blocks.push(open.lines.join('\n'));
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence) open = { fence, lines: [] };
  }
  return blocks;
}
