import { escapePattern } from '../../util/escape-pattern.ts';
import { memoized } from '../../util/memoized.ts';
import { skipSpace } from '../space.ts';

/** The part of a `SourceText` that is used here. */
interface SearchedText {
  readonly text: string;
  find(pattern: RegExp, from: number): { at: number; end: number } | undefined;
}

interface ValueTag {
  at: number;
  end: number;
  closing: boolean;
  /** Whether the tag encloses a value rather than a call. */
  isValue: boolean;
}

/** Which tags enclose values and calls in a notation. */
interface Notation {
  tags: RegExp;
  /** Whether a tag found by `tags` encloses a value; `undefined` leaves the tag out. */
  isValue: (written: string) => boolean | undefined;
  /** Leave out the tags in XML comments. */
  skipComments?: boolean;
}

const NONE = -1;

/**
 * Where values end if the tags inside them nest properly. A value may quote whole calls and parameters, and then its own
 * closing tag is the first one that no tag inside the value opened.
 */
export class TagNesting {
  readonly #text: string;
  readonly #tags: readonly ValueTag[];
  /** For each tag: the index of the closing tag of a value whose text continues with that tag. */
  readonly #valueEnds: Int32Array;

  constructor(source: SearchedText, notation: Notation) {
    this.#text = source.text;
    this.#tags = readTags(source, notation);
    this.#valueEnds = findValueEnds(this.#tags);
  }

  /**
   * The closing tag of a value whose text continues at an offset; `undefined` when the tags do not match up.
   * `afterInner` is set when it directly follows the closing tag of an inner value.
   */
  closerOf(from: number): { at: number; end: number; afterInner: boolean } | undefined {
    const first = this.#indexAt(from);
    const index = this.#valueEnds[first] ?? NONE;
    const tag = this.#tags[index];
    if (!tag) return undefined;
    const previous = index > first ? this.#tags[index - 1] : undefined;
    const isInnerCloser = previous?.closing === true && previous.isValue;
    const afterInner = isInnerCloser && skipSpace(this.#text, previous.end) === tag.at;
    return { at: tag.at, end: tag.end, afterInner };
  }

  /** The first closing tag of a value that no tag from `from` on opened, searched up to the next call. */
  strayCloser(from: number): { at: number } | undefined {
    for (let index = this.#indexAt(from); ; index++) {
      const tag = this.#tags[index];
      if (!tag) return undefined;
      if (tag.closing && tag.isValue) return tag;
      if (tag.closing) continue;
      const closer = tag.isValue ? (this.#valueEnds[index + 1] ?? NONE) : NONE;
      if (closer === NONE) return undefined;
      index = closer;
    }
  }

  /** Index of the first tag at or after an offset. */
  #indexAt(from: number): number {
    let low = 0;
    let high = this.#tags.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tags[middle]?.at ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Quotation marks in a tag may enclose `>`. */
const SELF_CLOSING = /<(?:"[^"<]{0,200}"|'[^'<]{0,200}'|[^<>"']){1,256}>/y;

export const COMMENT = /<!--/g;
const COMMENT_END = /-->/g;

function readTags(source: SearchedText, { tags: pattern, isValue, skipComments }: Notation): ValueTag[] {
  const { text } = source;
  let comment = skipComments ? nextComment(source, 0) : undefined;
  const tags: ValueTag[] = [];
  for (let found = source.find(pattern, 0); found; found = source.find(pattern, found.end)) {
    const { at, end } = found;
    while (comment && comment.end <= at) comment = nextComment(source, comment.end);
    if (comment && comment.at < at) continue;
    const closing = text[at + 1] === '/';
    const value = isValue(text.slice(at, end));
    if (value === undefined) continue;
    if (!closing) {
      SELF_CLOSING.lastIndex = at;
      if (SELF_CLOSING.exec(text)?.[0].endsWith('/>')) continue;
    }
    tags.push({ at, end, closing, isValue: value });
  }
  return tags;
}

function nextComment(source: SearchedText, from: number): { at: number; end: number } | undefined {
  const opener = source.find(COMMENT, from);
  if (!opener) return undefined;
  const { at } = opener;
  const closer = source.find(COMMENT_END, opener.end);
  return closer && { at, end: closer.end };
}

/** Computed from the last tag to the first, so that each tag is looked at once. */
function findValueEnds(tags: readonly ValueTag[]): Int32Array {
  const valueEnds = new Int32Array(tags.length + 1).fill(NONE);
  const callEnds = new Int32Array(tags.length + 1).fill(NONE);
  for (let index = tags.length - 1; index >= 0; index--) {
    const tag = tags[index];
    if (!tag) continue;
    if (tag.closing) {
      (tag.isValue ? valueEnds : callEnds)[index] = index;
      continue;
    }
    const closer = (tag.isValue ? valueEnds : callEnds)[index + 1] ?? NONE;
    // An opening tag of a call may stand alone, as in prose about calls.
    const next = closer !== NONE ? closer + 1 : tag.isValue ? tags.length : index + 1;
    valueEnds[index] = valueEnds[next] ?? NONE;
    callEnds[index] = callEnds[next] ?? NONE;
  }
  return valueEnds;
}

const ELEMENTS =
  /<(?:\/[^<>\s]{0,20}(?:param(?:eter)?|function|invoke|tool_call|function_calls?|tool_calls)\s{0,4}>|[^<>\s=/]{0,20}(?:param(?:eter)?|function|invoke|tool_call|function_calls?|tool_calls)(?=[\s=>/Ġ]|name=))/g;
const PARAMETER = /param(?:eter)?\s*>?$/;
const PARAM = /param\s*>?$/;

function nestingOfElements(
  isOther: (written: string) => boolean,
  skipComments = false,
): (source: SearchedText) => TagNesting {
  const isValue = (written: string) => (isOther(written) ? undefined : PARAMETER.test(written));
  return memoized((source) => new TagNesting(source, { tags: ELEMENTS, isValue, skipComments }));
}

const nestingOfParameter = nestingOfElements((written) => PARAM.test(written));
const nestingOfParam = nestingOfElements((written) => PARAMETER.test(written) && !PARAM.test(written));

/** The nesting of `<parameter>` and `<param>` elements, which some models close with each other's tags. */
export const parameterNesting = nestingOfElements(() => false);

/** The same without the tags in XML comments. */
export const commentedNesting = nestingOfElements(() => false, true);

/** The nesting of the elements with one of these names: HTML has a `<param>` without a closing tag. */
export function nestingOf(source: SearchedText, element: string): TagNesting {
  return element.toLowerCase() === 'param' ? nestingOfParam(source) : nestingOfParameter(source);
}

const PAIR_TAGS = /<\/?(?:[a-z]{1,20}_)?(?:arg_value|tool_call)(?::\w{1,20})?>/g;

/** The nesting of `<arg_value>` elements. */
export const pairNesting = memoized(
  (source: SearchedText) =>
    new TagNesting(source, { tags: PAIR_TAGS, isValue: (written) => written.includes('arg_value') }),
);

const nestings = memoized((_source: SearchedText) => new Map<string, TagNesting>());

/** The nesting of the elements of one name, with or without attributes. */
export function nestingOfElement(source: SearchedText, element: string): TagNesting {
  const known = nestings(source).get(element);
  if (known) return known;
  const name = escapePattern(element);
  const tags = new RegExp(`<${name}(?:\\s[^<>]{0,1000})?>|</${name}\\s{0,4}>`, 'g');
  const nesting = new TagNesting(source, { tags, isValue: () => true });
  nestings(source).set(element, nesting);
  return nesting;
}
