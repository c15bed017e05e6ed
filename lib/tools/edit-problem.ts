import leven from 'leven';
import { type EditProblem, placesOf } from '../events/text-edits.ts';
import { assertNever } from '../util/assert-never.ts';
import { shortText } from '../util/short-text.ts';

/** Max characters of the file that are quoted to the model. */
const MAX_QUOTED_CHARS = 400;
/** Lines are compared by this many of their characters. */
const MAX_LINE_CHARS = 300;
/** Lines with the most words in common, which are compared letter by letter. */
const MAX_CANDIDATES = 20;

/**
 * Tells the model why edits were not made and what to do. Names the closest lines if a text was not found, and its
 * lines if it occurs several times. Pure.
 *
 * @param count the number of edits in the call
 */
export function editProblemText(problem: EditProblem, count: number): string {
  const edit = count === 1 ? '' : `Edit ${problem.index + 1}: `;
  return `${edit}${whatIsWrong(problem)} ${count === 1 ? 'Nothing was changed.' : 'None of the edits was made.'}`;
}

function whatIsWrong(problem: EditProblem): string {
  switch (problem.kind) {
    case 'empty':
      return 'old_text is empty. Give the text to replace, or use write_file to write the whole file.';
    case 'identical':
      return 'old_text and new_text are the same.';
    case 'broken_unicode':
      return 'old_text contains broken Unicode. Copy it from the file.';
    case 'line_and_all':
      return 'line selects one occurrence, and replace_all selects all of them. Give only one of the two.';
    case 'overlapping':
      return 'The occurrences of old_text overlap, so they cannot all be replaced. Make old_text longer.';
    case 'too_long':
      return 'The file would become too large.';
    case 'too_many':
      return 'old_text occurs too often. Make it longer, or replace the text with a command.';
    case 'replaced_before':
      return 'An earlier edit in this call changed this text. Edits are made in order: copy the text as it is after the earlier edits, or merge the two edits.';
    case 'ambiguous':
      return ambiguous(problem);
    case 'not_found':
      return `old_text was not found. ${closest(problem)}`;
    default:
      return assertNever(problem);
  }
}

function ambiguous({ lines, more, count, tie }: Extract<EditProblem, { kind: 'ambiguous' }>): string {
  const where = `${lines.join(', ')}${more ? ', …' : ''}`;
  if (lines.length === 1) {
    // A line number cannot distinguish occurrences in the same line.
    return tie
      ? `old_text occurs more than once in line ${where}. Add text around it.`
      : `old_text occurs ${count} times in line ${where}. Add text around it, or set replace_all.`;
  }
  return tie
    ? `The occurrences of old_text in lines ${where} are equally close to line. Give the line of one of them.`
    : `old_text occurs ${count} times, in lines ${where}. Add text around it, give the line of one of them, or set replace_all.`;
}

/** Which part of the file was probably meant. The lines are those of the text with the edits before this one. */
function closest({ index, text, oldText }: Extract<EditProblem, { kind: 'not_found' }>): string {
  const counted = index === 0 ? '' : ', counted after the edits before,';
  const lines = text.split('\n');
  const spaced = exceptForSpace(lines, oldText);
  if (spaced) {
    const [first, last] = spaced;
    const where =
      first === last ? `Line ${first}${counted} differs` : `Lines ${first} to ${last}${counted} differ`;
    return `${where} from it only in whitespace: ${quoted(lines.slice(first - 1, last).join('\n'))}. Copy it exactly.`;
  }
  const line = closestLine(lines, oldText);
  return line === undefined
    ? 'Read the file, and copy the text exactly.'
    : `The closest line${counted} is ${line}: ${quoted(lines[line - 1] ?? '')}. Copy the text exactly.`;
}

function quoted(text: string): string {
  return JSON.stringify(shortText(text, MAX_QUOTED_CHARS));
}

/** The first and last line of the only part that matches if runs of whitespace count as one space. */
function exceptForSpace(
  lines: readonly string[],
  oldText: string,
): [first: number, last: number] | undefined {
  const plain = (line: string) => line.replace(/\s+/g, ' ').trim();
  const part = oldText.split('\n').map(plain).join('\n').trim();
  if (part === '') return undefined;
  const whole = lines.map(plain).join('\n');
  const { offsets, overlap } = placesOf(whole, part, 1);
  const [at] = offsets;
  if (at === undefined || offsets.length > 1 || overlap) return undefined;
  const first = whole.slice(0, at).split('\n').length;
  return [first, first + part.split('\n').length - 1];
}

/** The line most similar to the longest line of a text, unless more than half of the letters differ. */
function closestLine(lines: readonly string[], oldText: string): number | undefined {
  const wanted = oldText
    .split('\n')
    .map((line) => line.trim().slice(0, MAX_LINE_CHARS))
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '');
  const words = new Set(wordsOf(wanted));
  if (words.size === 0) return undefined;
  const scored = lines.map((line, index) => ({
    index,
    text: line.trim().slice(0, MAX_LINE_CHARS),
    shared: new Set(wordsOf(line.slice(0, MAX_LINE_CHARS)).filter((word) => words.has(word))).size,
  }));
  const candidates = scored
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared || one.index - other.index)
    .slice(0, MAX_CANDIDATES);
  let best: number | undefined;
  let least = Math.ceil(wanted.length / 2);
  for (const { index, text } of candidates) {
    const distance = leven(wanted, text, { maxDistance: least });
    if (distance < least) {
      least = distance;
      best = index + 1;
    }
  }
  return best;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
