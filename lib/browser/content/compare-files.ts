import { diffLines } from 'diff';
import { type DiffPiece, diffText } from '../words/diff-text.ts';

/** One line of a comparison, with its number in each version that has it; a `header` separates the parts of a diff. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added' | 'header';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
  /** The changes within the line, if most of it stayed the same. */
  readonly pieces?: readonly DiffPiece[];
}

/** Lines to show, or unchanged lines to fold. */
export interface DiffPart {
  readonly folded: boolean;
  readonly lines: readonly DiffLine[];
}

export interface FileComparison {
  readonly parts: readonly DiffPart[];
  readonly added: number;
  readonly removed: number;
  /** The two versions were too large or too different to be aligned: all lines are shown as replaced. */
  readonly isReplaced: boolean;
  /** Which version lacks a line break at its end, if only one does. */
  readonly lacksLineEnd?: 'before' | 'after';
}

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 3;
/** Fewer unchanged lines are not worth a button. */
const MIN_FOLDED_LINES = 4;
/** Characters of both versions together, beyond which they are not aligned. */
const MAX_CHARS = 2_000_000;
/** Lines added and removed at most; a longer search for the shortest diff is abandoned. */
const MAX_EDITS = 5000;
const MAX_MS = 300;
/** Longer lines, and larger groups of lines, get no marks within their lines. */
const MARKED_LINE_CHARS = 400;
const MARKED_LINES = 60;
/** Marks help where at least this part of both lines is the same. */
const MIN_SAME = 0.4;

/**
 * Compares two versions of a file line by line. Takes less than half a second for any texts: parts that cannot be
 * aligned in that time are shown as replaced.
 *
 * @param before `undefined` if the file did not exist
 * @param after `undefined` if the file was deleted
 */
export function compareFiles(before: string | undefined, after: string | undefined): FileComparison {
  const [old, now] = [before ?? '', after ?? ''];
  const aligned = old.length + now.length <= MAX_CHARS ? alignedLines(old, now) : undefined;
  const lines = aligned ?? [...linesOf(old, 'removed'), ...linesOf(now, 'added')];
  const numbered = withPieces(withNumbers(lines));
  return {
    parts: parts(numbered),
    added: numbered.filter(({ kind }) => kind === 'added').length,
    removed: numbered.filter(({ kind }) => kind === 'removed').length,
    isReplaced: aligned === undefined,
    ...lineEnds(old, now),
  };
}

function alignedLines(old: string, now: string): DiffLine[] | undefined {
  const changes = diffLines(withLineEnd(old), withLineEnd(now), {
    timeout: MAX_MS,
    maxEditLength: MAX_EDITS,
  });
  return changes?.flatMap(({ value, added, removed }) =>
    linesOf(value, added ? 'added' : removed ? 'removed' : 'same'),
  );
}

/** A missing line break at the end is reported separately, so that it does not mark the last line as changed. */
function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string, kind: DiffLine['kind']): DiffLine[] {
  if (text === '') return [];
  return withLineEnd(text)
    .slice(0, -1)
    .split('\n')
    .map((line) => ({ kind, text: line }));
}

function withNumbers(lines: readonly DiffLine[]): DiffLine[] {
  let [before, after] = [0, 0];
  return lines.map((line) => {
    if (line.kind !== 'added') before += 1;
    if (line.kind !== 'removed') after += 1;
    return {
      ...line,
      ...(line.kind !== 'added' && { before }),
      ...(line.kind !== 'removed' && { after }),
    };
  });
}

/** Marks changes within lines, where as many lines were added as removed: those are versions of each other. */
function withPieces(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  let from = 0;
  while (from < marked.length) {
    const removed = runOf(marked, from, 'removed');
    const added = runOf(marked, from + removed, 'added');
    if (removed > 0 && removed === added && removed <= MARKED_LINES) {
      for (let index = from; index < from + removed; index += 1) markPair(marked, index, index + removed);
    }
    from += Math.max(1, removed + added);
  }
  return marked;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let count = 0;
  while (lines[from + count]?.kind === kind) count += 1;
  return count;
}

function markPair(lines: DiffLine[], removedAt: number, addedAt: number): void {
  const [removed, added] = [lines[removedAt], lines[addedAt]];
  if (!removed || !added || Math.max(removed.text.length, added.text.length) > MARKED_LINE_CHARS) return;
  const pieces = diffText(removed.text, added.text);
  const same = pieces.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.trim().length : 0), 0);
  if (same < MIN_SAME * Math.max(removed.text.trim().length, added.text.trim().length)) return;
  lines[removedAt] = { ...removed, pieces: pieces.filter(({ kind }) => kind !== 'added') };
  lines[addedAt] = { ...added, pieces: pieces.filter(({ kind }) => kind !== 'removed') };
}

/** Splits into parts to show and parts to fold: unchanged lines far from any change. */
function parts(lines: readonly DiffLine[]): DiffPart[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') near.fill(1, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  });
  const all: { folded: boolean; lines: DiffLine[] }[] = [];
  lines.forEach((line, index) => {
    const folded = near[index] === 0;
    const last = all.at(-1);
    if (last?.folded === folded) last.lines.push(line);
    else all.push({ folded, lines: [line] });
  });
  return all.map((part) => ({ ...part, folded: part.folded && part.lines.length >= MIN_FOLDED_LINES }));
}

function lineEnds(old: string, now: string): Pick<FileComparison, 'lacksLineEnd'> {
  if (old === '' || now === '' || old.endsWith('\n') === now.endsWith('\n')) return {};
  return { lacksLineEnd: old.endsWith('\n') ? 'after' : 'before' };
}
