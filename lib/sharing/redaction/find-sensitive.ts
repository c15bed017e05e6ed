import { escapePattern } from '../../util/escape-pattern.ts';
import { memoized } from '../../util/memoized.ts';
import {
  findAssignments,
  findAuthorization,
  findAzureSecrets,
  findCommandPasswords,
  findHeaders,
  findOracleCredentials,
  findUrlCredentials,
} from './credentials.ts';
import { findBase64Texts, unescaped } from './encoded.ts';
import type { Match } from './match.ts';
import { findEmails, findHomePaths, findPrivateAddresses } from './personal.ts';
import { findShapes } from './secret-shapes.ts';
import { beginsAt, TextRuns, WORD } from './text-runs.ts';

/** Values to search for literally. */
export interface ExactValues {
  kind: string;
  group: Match['group'];
  values: readonly string[];
  /** Set for paths: a match must not be part of a longer name. */
  wholeNames?: true;
  /** Set for values that are found by their shape: only pieces of them are searched for. */
  piecesOnly?: true;
}

/**
 * Finds everything in a text that should be redacted, in order; overlapping matches are merged. Linear in the length of
 * the text.
 */
export function findSensitive(text: string, exact: readonly ExactValues[] = []): Match[] {
  let found = scan(text, exact);
  // The text next to a secret may itself be recognized once the secret is masked.
  for (let round = 1, grown = found.length > 0; grown && round < MAX_ROUNDS; round += 1) {
    const more = scan(blank(text, found), exact);
    grown = more.length > 0;
    if (grown) found = merge([...found, ...more]);
  }
  return found;
}

const MAX_ROUNDS = 5;

/** Replaces the matches with opaque text of the same length. */
function blank(text: string, found: readonly Match[]): string {
  let out = '';
  let from = 0;
  for (const { start, end } of found) {
    out += `${text.slice(from, start)}‹${'-'.repeat(Math.max(0, end - start - 2))}›`;
    from = end;
  }
  return out + text.slice(from);
}

function scan(text: string, exact: readonly ExactValues[]): Match[] {
  if (text.length < 4) return [];
  const runs = new TextRuns(text);
  const masks = findMasks(text);
  const found = [...findPlain(runs, exact), ...findEscaped(text, exact), ...findBase64(text, exact)];
  return merge(masks.length === 0 ? found : found.filter((match) => !liesIn(match, masks)));
}

function findPlain(runs: TextRuns, exact: readonly ExactValues[]): Match[] {
  return [
    ...findExact(runs.text, exact),
    ...findPieces(runs.text, exact),
    ...findShapes(runs),
    ...findUrlCredentials(runs),
    ...findAuthorization(runs),
    ...findHeaders(runs),
    ...findCommandPasswords(runs),
    ...findOracleCredentials(runs),
    ...findAzureSecrets(runs),
    ...findAssignments(runs),
    ...findEmails(runs),
    ...findHomePaths(runs),
    ...findPrivateAddresses(runs),
  ];
}

/** How often a value may have been escaped, or encoded in base64. */
const MAX_DEPTH = 3;

/**
 * Matches that only show after decoding escapes such as `%40`, `%2540`, `\\u0040` and `&#64;`, at their source
 * positions.
 */
function findEscaped(text: string, exact: readonly ExactValues[], depth = 1): Match[] {
  const view = unescaped(text);
  if (!view || view.text === text) return [];
  const deeper = depth < MAX_DEPTH ? findEscaped(view.text, exact, depth + 1) : [];
  return [...findPlain(new TextRuns(view.text), exact), ...deeper].map(({ learned: _learned, ...match }) => ({
    ...match,
    start: view.at(match.start),
    end: view.at(match.end),
  }));
}

/** Base64 that decodes to text with a match; masked as a whole, because its parts cannot be read. */
function* findBase64(text: string, exact: readonly ExactValues[], depth = 1): Iterable<Match> {
  for (const { start, end, meant } of findBase64Texts(text)) {
    const inner = depth < MAX_DEPTH ? [...findBase64(meant, exact, depth + 1)] : [];
    const [first, ...others] = merge([
      ...findPlain(new TextRuns(meant), exact),
      ...findEscaped(meant, exact),
      ...inner,
    ]);
    if (!first) continue;
    const { kind, group } = others.reduce<Match>(moreTelling, first);
    yield { kind: kind.startsWith(ENCODED) ? kind : `${ENCODED}${kind}`, group, start, end };
  }
}

const ENCODED = 'encoded ';

/** The mask of a value; numbers count the distinct values of a kind. */
export function maskOf(kind: string, number: number): string {
  return `‹${kind} ${number}›`;
}

const MASK = /‹[a-z][a-z -]{0,30} \d{1,6}›/g;

function findMasks(text: string): { start: number; end: number }[] {
  if (!text.includes('‹')) return [];
  return [...text.matchAll(MASK)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Binary search: masks are ordered and do not overlap. */
function liesIn(match: Match, masks: readonly { start: number; end: number }[]): boolean {
  let low = 0;
  let high = masks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((masks[middle]?.end ?? 0) <= match.start) low = middle + 1;
    else high = middle;
  }
  const mask = masks[low];
  return mask !== undefined && mask.start <= match.start && match.end <= mask.end;
}

/** Matches the start of any value of a list; most texts contain none, so one scan is enough for them. */
const startOfAny = memoized((exact: readonly ExactValues[]) => {
  const beginnings = exact.flatMap(({ values }) => values.map((value) => escapePattern(value.slice(0, 16))));
  return new RegExp(beginnings.length === 0 ? '(?!)' : beginnings.join('|'));
});

function* findExact(text: string, exact: readonly ExactValues[]): Iterable<Match> {
  if (!startOfAny(exact).test(text)) return;
  for (const { kind, group, values, wholeNames, piecesOnly } of exact) {
    if (piecesOnly) continue;
    for (const value of values) {
      for (let at = text.indexOf(value); at >= 0; ) {
        const end = at + value.length;
        const whole =
          wholeNames !== true ||
          (!WORD.has(text.charCodeAt(end)) && (value.startsWith('/') ? beginsAt(text, at) : true));
        if (whole) yield { kind, group, start: at, end };
        at = text.indexOf(value, whole ? end : at + 1);
      }
    }
  }
}

/** A shorter piece of a value does not reveal it, and may be a common word. */
const MIN_PIECE = 8;
/** Where a length limit cut a text: at its end, or before a mark such as `…`, ` […]` or `\n[… 12 bytes left out …]`. */
const CUT_AFTER = /(?:\s|\\{1,3}n)?\[?…|\.\.\.|$/y;
/** Where a cut text continues: at its start, or after such a mark. */
const CUT_BEFORE = /(?:^|…\]?(?:\s|\\{1,3}n)?)$/;

/** Matches the first or last half of any value; most texts contain none, so one scan is enough for them. */
const halfOfAny = memoized((exact: readonly ExactValues[]) => {
  const halves = exact.flatMap(({ values, wholeNames }) =>
    wholeNames
      ? []
      : values.flatMap((value) => halvesOf(value).map((half) => escapePattern(half.slice(-16)))),
  );
  return new RegExp(halves.length === 0 ? '(?!)' : halves.join('|'));
});

function halvesOf(value: string): string[] {
  const length = Math.max(MIN_PIECE, Math.ceil(value.length / 2));
  return length < value.length ? [value.slice(0, length), value.slice(-length)] : [];
}

/** The first or the last part of a value, at least half of it, where a length limit cut the rest away. */
function* findPieces(text: string, exact: readonly ExactValues[]): Iterable<Match> {
  if (!halfOfAny(exact).test(text)) return;
  for (const { kind, group, values, wholeNames } of exact) {
    if (wholeNames) continue;
    for (const whole of values) {
      const [first, last] = halvesOf(whole);
      if (first === undefined || last === undefined) continue;
      for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + first.length)) {
        let end = at + first.length;
        while (end - at < whole.length && text.charAt(end) === whole.charAt(end - at)) end += 1;
        CUT_AFTER.lastIndex = end;
        if (CUT_AFTER.test(text)) yield { kind, group, start: at, end, whole };
      }
      for (let at = text.indexOf(last); at >= 0; at = text.indexOf(last, at + last.length)) {
        const end = at + last.length;
        let start = at;
        while (
          start > 0 &&
          end - start < whole.length &&
          text.charAt(start - 1) === whole.at(start - 1 - end)
        )
          start -= 1;
        if (CUT_BEFORE.test(text.slice(Math.max(0, start - 6), start)))
          yield { kind, group, start, end, whole };
      }
    }
  }
}

function merge(found: Match[]): Match[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Match[] = [];
  for (const match of found) {
    const last = merged.at(-1);
    if (!last || match.start >= last.end) {
      merged.push({ ...match });
      continue;
    }
    const { kind, group } = moreTelling(last, match);
    const same = match.start === last.start && match.end === last.end;
    // Two merged matches are longer than either value, so there is nothing to search for elsewhere.
    const learned = last.learned === true && (same || match.end <= last.end);
    merged[merged.length - 1] = {
      kind,
      group,
      start: last.start,
      end: Math.max(last.end, match.end),
      ...(learned || (same && match.learned) ? { learned: true } : {}),
      ...(last.whole !== undefined && match.end <= last.end ? { whole: last.whole } : {}),
    };
  }
  return merged;
}

/** Prefers secrets, so that showing addresses does not reveal a secret next to one; then specific kinds. */
function moreTelling(first: Match, second: Match): Match {
  if (first.group !== 'secret' && second.group === 'secret') return second;
  const general = (match: Match) => match.kind === 'credential' || match.kind === 'authorization';
  return general(first) && second.group === 'secret' && !general(second) ? second : first;
}
