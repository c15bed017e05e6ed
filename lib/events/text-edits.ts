import type { JsonValue } from '../util/json.ts';
import { countLineFeeds } from '../util/line-feeds.ts';
import { MAX_KEPT_BYTES } from './limits.ts';

/** One edit of a text: exactly this part is replaced. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  /** Whether all occurrences are replaced; otherwise there must be only one, or `line` selects it. */
  readonly replaceAll?: boolean;
  /** About which line of the text before all edits is meant, from 1: the nearest place is replaced. */
  readonly line?: number;
}

/**
 * Max occurrences that the edits of a call may find together. Each edit keeps its occurrences until all edits are made,
 * so a short text in a large file could take all memory.
 */
const MAX_PLACES = 200_000;

/** Lines named of an edit that fits several places. */
const MAX_NAMED_LINES = 10;

/** How much of a part is looked for with `indexOf`, in characters. */
const MAX_BEGINNING_CHARS = 16;

/** What is wrong with an edit whatever the text. */
type PlainProblem = 'empty' | 'identical' | 'broken_unicode' | 'line_and_all';

/** Why edits were not made. `index`: the edit, from 0. */
export type EditProblem = { readonly index: number } & (
  | { readonly kind: PlainProblem | 'overlapping' | 'too_long' | 'too_many' }
  /** `text`: the text at that point. */
  | { readonly kind: 'not_found'; readonly text: string; readonly oldText: string }
  /** An earlier edit changed what this one names. */
  | { readonly kind: 'replaced_before' }
  /**
   * `lines`: of the text before all edits, each once, the first ones; `more`: there are others. `tie`: the places there are
   * equally near to `line`.
   */
  | {
      readonly kind: 'ambiguous';
      readonly lines: readonly number[];
      readonly more: boolean;
      readonly count: number;
      readonly tie: boolean;
    }
);

export type EditOutcome =
  | {
      readonly ok: true;
      readonly text: string;
      /** By edit: the line of the new text where it was made first, and how many places it replaced. */
      readonly made: readonly { readonly line: number; readonly places: number }[];
    }
  | { readonly ok: false; readonly problem: EditProblem };

/** Reads the argument `edits` of a call of `edit_file`. `undefined` if it is not a list of edits. */
export function readEdits(value: JsonValue | undefined): TextEdit[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const edits: TextEdit[] = [];
  for (const each of value) {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return undefined;
    const { old_text: oldText, new_text: newText, replace_all: replaceAll, line } = each;
    if (typeof oldText !== 'string' || typeof newText !== 'string') return undefined;
    edits.push({
      oldText,
      newText,
      ...(replaceAll === true && { replaceAll }),
      ...(typeof line === 'number' && { line }),
    });
  }
  return edits;
}

/**
 * Makes edits in order, each in the result of the one before; all or none. In a text whose lines all end with CRLF, line
 * breaks in edits are CRLF too, because models write them as LF. Pure; the same on the server, which writes the result,
 * and in the dashboard, which shows it. Takes time linear in the text for each edit.
 */
export function applyEdits(before: string, edits: readonly TextEdit[]): EditOutcome {
  const isCrlf = endsLinesWithCrlf(before);
  let text = before;
  /** Lines that earlier edits added or removed, to find a line of the original text. */
  const shifts: { lines: readonly number[]; delta: number }[] = [];
  const done: Replacement[] = [];
  const made: { at: number; places: number }[] = [];
  let placesLeft = MAX_PLACES;
  for (const [index, edit] of edits.entries()) {
    const oldText = isCrlf ? withCrlf(edit.oldText) : edit.oldText;
    const newText = isCrlf ? withCrlf(edit.newText) : edit.newText;
    const refused = problemOf({ ...edit, oldText, newText });
    if (refused) return { ok: false, problem: { kind: refused, index } };
    const { offsets, overlap } = placesOf(text, oldText, placesLeft);
    if (offsets.length > placesLeft) return { ok: false, problem: { kind: 'too_many', index } };
    placesLeft -= offsets.length;
    if (offsets.length === 0) {
      const wasThere = index > 0 && placesOf(before, oldText, 0).offsets.length > 0;
      return {
        ok: false,
        problem: wasThere ? { kind: 'replaced_before', index } : { kind: 'not_found', index, text, oldText },
      };
    }
    const lines = linesAt(text, offsets);
    const line = edit.line === undefined ? undefined : shifted(edit.line, shifts);
    const chosen = edit.replaceAll ? offsets.map((_, place) => place) : nearest(lines, line);
    if (edit.replaceAll && overlap) return { ok: false, problem: { kind: 'overlapping', index } };
    if (chosen.length !== 1 && !edit.replaceAll) {
      const tie = chosen.length > 0;
      const possible = (tie ? chosen : [...offsets.keys()]).filter(
        (place, at, all) => at === 0 || lines[place] !== lines[all[at - 1] ?? 0],
      );
      const first = possible.slice(0, MAX_NAMED_LINES).map((place) => offsets[place] ?? 0);
      const named = [...new Set(linesAt(before, done.reduceRight(movedBack, first)))];
      const more = possible.length > first.length;
      const problem = { kind: 'ambiguous', index, lines: named, more, count: offsets.length, tie } as const;
      return { ok: false, problem };
    }
    const places = chosen.map((place) => offsets[place] ?? 0);
    const grows = newText.length - oldText.length;
    // Each character takes at least a byte, and a larger file could not be kept before its next change.
    if (text.length + grows * places.length > MAX_KEPT_BYTES) {
      return { ok: false, problem: { kind: 'too_long', index } };
    }
    text = replaced(text, places, oldText.length, newText);
    shifts.push({
      lines: chosen.map((place) => lines[place] ?? 0),
      delta: countLineFeeds(newText) - countLineFeeds(oldText),
    });
    const replacement = { places, chars: oldText.length, grows };
    for (const earlier of made) earlier.at = moved(earlier.at, replacement);
    done.push(replacement);
    made.push({ at: places[0] ?? 0, places: places.length });
  }
  const shown = made.map(({ at, places }) => ({ line: linesAt(text, [at])[0] ?? 1, places }));
  return { ok: true, text, made: shown };
}

function problemOf({ oldText, newText, replaceAll, line }: TextEdit): PlainProblem | undefined {
  if (oldText === '') return 'empty';
  if (oldText === newText) return 'identical';
  // Half a surrogate pair would fit into the middle of a character.
  if (!oldText.isWellFormed()) return 'broken_unicode';
  return replaceAll && line !== undefined ? 'line_and_all' : undefined;
}

/**
 * The places of a part in a text, from the first on, without those that overlap the one before. Knuth, Morris and Pratt's
 * search, as the time of `indexOf` can grow with the product of both lengths, and the part comes from a model. Only the
 * beginning of the part is looked for with `indexOf`, which is many times faster per character.
 *
 * @param max stops after one occurrence more than this
 */
export function placesOf(text: string, part: string, max: number): { offsets: number[]; overlap: boolean } {
  const offsets: number[] = [];
  let overlap = false;
  const beginning = part.slice(0, MAX_BEGINNING_CHARS);
  const first = part.length > text.length ? -1 : text.indexOf(beginning);
  if (first === -1) return { offsets, overlap };
  const borders = bordersOf(part);
  for (let at = first, matched = 0; at < text.length; at++) {
    if (matched === 0) {
      at = text.indexOf(beginning, at);
      if (at === -1) break;
    }
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === part.charCodeAt(matched)) matched++;
    if (matched < part.length) continue;
    const start = at - part.length + 1;
    const last = offsets.at(-1);
    if (last !== undefined && start < last + part.length) overlap = true;
    else offsets.push(start);
    if (offsets.length > max) break;
    matched = borders[matched - 1] ?? 0;
  }
  return { offsets, overlap };
}

/** For each prefix of a part, the length of its longest proper prefix that is also its suffix. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(at) === part.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}

/**
 * The occurrences closest to a line, by index: one, or two at the same distance. Without a line: the only occurrence,
 * if there is just one.
 */
function nearest(lines: readonly number[], line: number | undefined): number[] {
  if (lines.length === 1) return [0];
  if (line === undefined) return [];
  const distances = lines.map((each) => Math.abs(each - line));
  const least = distances.reduce((low, each) => Math.min(low, each));
  return distances.flatMap((distance, place) => (distance === least ? [place] : []));
}

/** The number of the line at each offset, from 1. @param offsets ascending */
function linesAt(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let feed = text.indexOf('\n');
  return offsets.map((offset) => {
    while (feed !== -1 && feed < offset) {
      line++;
      feed = text.indexOf('\n', feed + 1);
    }
    return line;
  });
}

/**
 * Where offsets were before the replacements at `places`; those inside a new text are where it was put.
 *
 * @param offsets ascending
 */
function movedBack(offsets: readonly number[], { places, chars, grows }: Replacement): number[] {
  let passed = 0;
  return offsets.map((offset) => {
    let next = places[passed];
    while (next !== undefined && next + grows * passed + chars + grows <= offset) next = places[++passed];
    return Math.min(offset - grows * passed, next ?? offset - grows * passed);
  });
}

/** The position of a line of the original text after the edits so far. */
function shifted(line: number, shifts: readonly { lines: readonly number[]; delta: number }[]): number {
  return shifts.reduce(
    (now, { lines, delta }) => now + delta * lines.filter((each) => each < now).length,
    line,
  );
}

/**
 * The replacements of one edit: the offsets in the text before it, the number of characters replaced at each, and the
 * change in length.
 */
interface Replacement {
  readonly places: readonly number[];
  readonly chars: number;
  readonly grows: number;
}

/** The position of an offset after the replacements at `places`. */
function moved(offset: number, { places, chars, grows }: Replacement): number {
  let now = offset;
  for (const place of places) {
    if (place + chars <= offset) now += grows;
    else if (place < offset)
      now += place - offset; // it began inside replaced text
    else break;
  }
  return now;
}

function replaced(text: string, places: readonly number[], chars: number, newText: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, place), newText);
    from = place + chars;
  }
  return parts.join('') + text.slice(from);
}

function endsLinesWithCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
