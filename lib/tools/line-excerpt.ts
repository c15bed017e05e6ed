import { fitStart } from './fit-text.ts';
import type { Match } from './text-search.ts';

const MAX_LINE_BYTES = 400;
/** A match that begins within this many bytes of its line is shown with the start of the line. */
const MAX_BEFORE_BYTES = 250;
/** How much of a long line is shown before a match further on. */
const BEFORE_CHARS = 60;

/** A matching line, or the part of a long line around the match, with a mark where it is cut. Pure. */
export function lineExcerpt({ text, at, isCutBefore = false }: Omit<Match, 'path' | 'line'>): {
  text: string;
  isCut: boolean;
} {
  const indent = text.length - text.trimStart().length;
  const isNearStart = !isCutBefore && Buffer.byteLength(text.slice(indent, at)) <= MAX_BEFORE_BYTES;
  const start = isNearStart ? indent : firstWhole(text, Math.max(0, at - BEFORE_CHARS));
  const line = text.slice(start).trimEnd();
  const shown = fitStart(line, MAX_LINE_BYTES);
  const isCutAtStart = isCutBefore || start > indent;
  const isCutAtEnd = shown.length < line.length;
  return {
    text: `${isCutAtStart ? '[…] ' : ''}${shown}${isCutAtEnd ? ' […]' : ''}`,
    isCut: isCutAtStart || isCutAtEnd,
  };
}

/** The index, or the next one if it would split a surrogate pair. */
function firstWhole(text: string, index: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1)) ? index + 1 : index;
}
