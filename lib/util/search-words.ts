/** A word or phrase to search for; its parts must be adjacent. */
export interface SearchWord {
  parts: string[];
  /** Whether the last part is a prefix; never true for a quoted phrase. */
  begins: boolean;
}

/** Matches the same words as SQLite's `unicode61` tokenizer. */
const PART = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const MAX_WORDS = 16;
/** Characters of a query. */
export const MAX_QUERY_CHARS = 500;
const BEFORE_CHARS = 60;
const EXCERPT_CHARS = 240;

/**
 * Parses a query: words, each matched as a prefix, and quoted phrases. Every text is a valid query; one without a letter
 * or a digit has no words and finds nothing. `read_file` is the phrase of its parts.
 */
export function searchWords(query: string): SearchWord[] {
  const pieces = query.slice(0, MAX_QUERY_CHARS).matchAll(/"([^"]*)"?|[^\s"]+/g);
  return [...pieces]
    .map(([piece, quoted]) => ({
      parts: wordsOf(quoted ?? piece).filter((part) => plainWord(part) !== ''),
      begins: quoted === undefined,
    }))
    .filter(({ parts }) => parts.length > 0)
    .slice(0, MAX_WORDS);
}

/** The words of a text, in order. */
export function wordsOf(text: string): string[] {
  return text.match(PART) ?? [];
}

/** The ranges of the matching words in a text, in order and in UTF-16 units. Ignores case and accents. */
export function markWords(text: string, words: readonly SearchWord[]): [from: number, to: number][] {
  const tokens = [...text.matchAll(PART)].map(({ 0: token, index }) => ({
    from: index,
    to: index + token.length,
    plain: plainWord(token),
  }));
  const wanted = words.map(({ parts, begins }) => ({ parts: parts.map(plainWord), begins }));
  const found: [number, number][] = [];
  for (let at = 0; at < tokens.length; ) {
    const length = Math.max(
      0,
      ...wanted.filter((word) => matchesAt(tokens, at, word)).map(({ parts }) => parts.length),
    );
    const first = tokens[at];
    const last = tokens[at + length - 1];
    if (length > 0 && first && last) found.push([first.from, last.to]);
    at += Math.max(1, length);
  }
  return found;
}

/** A one-line excerpt around the first match, with the ranges of the matches inside it. */
export function excerpt(
  text: string,
  words: readonly SearchWord[],
): { text: string; ranges: [from: number, to: number][] } {
  const marks = markWords(text, words);
  const start = wholeCharacter(text, Math.max(0, (marks[0]?.[0] ?? 0) - BEFORE_CHARS));
  const end = wholeCharacter(text, Math.min(text.length, start + EXCERPT_CHARS));
  const before = start > 0 ? '…' : '';
  const shift = before.length - start;
  return {
    text: `${before}${text.slice(start, end).replace(/[\s\p{Cc}]/gu, ' ')}${end < text.length ? '…' : ''}`,
    ranges: marks
      .filter(([from, to]) => from >= start && to <= end)
      .map(([from, to]) => [from + shift, to + shift]),
  };
}

function matchesAt(
  tokens: readonly { plain: string }[],
  at: number,
  { parts, begins }: { parts: string[]; begins: boolean },
): boolean {
  return parts.every((part, index) => {
    const token = tokens[at + index]?.plain;
    if (token === undefined) return false;
    return begins && index === parts.length - 1 ? token.startsWith(part) : token === part;
  });
}

/** A word without case and accents, for comparison. */
export function plainWord(token: string): string {
  return token.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The index, or the one before it if it would split a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
}
