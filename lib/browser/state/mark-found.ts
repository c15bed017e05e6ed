import { plainWord } from '../../util/search-words.ts';

/** Max marked places; the rows in sight have far fewer. */
const MAX_PLACES = 2000;
/** The name in `::highlight(found)`. */
const NAME = 'found';
/** Fractions of a pixel do not hide a word. */
const ROUNDING_PX = 1;

/**
 * Marks the words wherever they appear inside an element, even later, with the CSS Custom Highlight API, which leaves
 * the document unchanged. Does nothing in a browser without it.
 *
 * @param words from `queryWords`
 * @returns a function that ends it
 */
export function markFound(root: HTMLElement, words: readonly string[]): () => void {
  if (words.length === 0 || !('highlights' in CSS)) return () => {};
  let frame = 0;
  const mark = () => {
    frame = 0;
    CSS.highlights.set(NAME, new Highlight(...places(root, words)));
  };
  const observer = new MutationObserver(() => {
    frame ||= requestAnimationFrame(mark);
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  mark();
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    CSS.highlights.delete(NAME);
  };
}

/** Whether a text, as it is shown, lacks one of the words that all of it has. */
export function lacksFound(shown: string, text: string, words: readonly string[]): boolean {
  const plain = plainWord(text);
  const plainShown = plainWord(shown);
  return words.some((word) => plain.includes(word) && !plainShown.includes(word));
}

/** Whether all words are drawn inside an element, and none only where it is cut off. */
export function isDrawn(element: HTMLElement, words: readonly string[]): boolean {
  const text = plainWord(element.textContent);
  return words.every((word) => {
    if (!text.includes(word)) return false;
    const found = places(element, [word]);
    // A phrase over several lines has no place.
    return found.length === 0 || found.some((place) => isVisible(place, element));
  });
}

/**
 * The first place of one of the words inside an element that is not cut off. Parts that scroll on their own are scrolled
 * to it.
 */
export function firstFound(element: HTMLElement, words: readonly string[]): Range | undefined {
  const found = places(element, words);
  const place = found.find((each) => isVisible(each, element)) ?? found[0];
  if (place) scrollParts(place, element);
  return place;
}

/** Whether no part of an element cuts a place off for good, as a part does that shows one line of a text. */
function isVisible(place: Range, element: HTMLElement): boolean {
  const box = place.getBoundingClientRect();
  if (box.width === 0 && box.height === 0) return false;
  return partsAround(place, element).every((part) => scrolls(part) || isWithin(box, part));
}

function scrollParts(place: Range, element: HTMLElement): void {
  for (const part of partsAround(place, element)) {
    const box = place.getBoundingClientRect();
    if (!scrolls(part) || isWithin(box, part)) continue;
    const frame = part.getBoundingClientRect();
    part.scrollBy({
      left: Math.max(0, box.right - frame.right) + Math.min(0, box.left - frame.left),
      top: (box.top + box.bottom - frame.top - frame.bottom) / 2,
      behavior: 'instant',
    });
  }
}

/** The parts of an element around a place that do not show all they contain, from the inside out. */
function partsAround(place: Range, element: HTMLElement): HTMLElement[] {
  const parts: HTMLElement[] = [];
  for (let part = place.startContainer.parentElement; part && part !== element; part = part.parentElement) {
    if (getComputedStyle(part).overflow !== 'visible') parts.push(part);
  }
  return parts;
}

function scrolls(part: HTMLElement): boolean {
  return /auto|scroll/.test(getComputedStyle(part).overflow);
}

function isWithin(box: DOMRect, part: HTMLElement): boolean {
  const { left, right, top, bottom } = part.getBoundingClientRect();
  return (
    box.left >= left - ROUNDING_PX &&
    box.right <= right + ROUNDING_PX &&
    box.top >= top - ROUNDING_PX &&
    box.bottom <= bottom + ROUNDING_PX
  );
}

function places(root: HTMLElement, words: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const line of linesOf(root)) {
    const searched = line.map(({ plain }) => plain).join('');
    for (const word of words) {
      for (let at = searched.indexOf(word); at >= 0; at = searched.indexOf(word, at + word.length)) {
        if (found.length === MAX_PLACES) return found;
        const range = new Range();
        const [first, last] = [pieceAt(line, at), pieceAt(line, at + word.length - 1)];
        range.setStart(first.node, at - first.from);
        range.setEnd(last.node, at + word.length - last.from);
        found.push(range);
      }
    }
  }
  return found;
}

/** A piece of a line: its text without case and accents, and where in the line it begins. */
interface Piece {
  readonly node: Node;
  readonly plain: string;
  readonly from: number;
}

/** The texts of an element by lines: colored code, and text with marks in it, has several pieces in one line. */
function* linesOf(root: HTMLElement): Generator<[Piece, ...Piece[]]> {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let line: Piece[] = [];
  let around: Element | null = null;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node.nodeValue ?? '';
    const plain = [plainWord(text), text.toLowerCase()].find(({ length }) => length === text.length);
    const block = blockAround(node);
    const before = line.at(-1);
    // If accents were separate characters, offsets would be shifted.
    if (before && block === around && plain !== undefined) {
      line.push({ node, plain, from: before.from + before.plain.length });
      continue;
    }
    if (isFilled(line)) yield line;
    line = plain === undefined ? [] : [{ node, plain, from: 0 }];
    around = block;
  }
  if (isFilled(line)) yield line;
}

function isFilled(line: Piece[]): line is [Piece, ...Piece[]] {
  return line.length > 0;
}

function pieceAt(line: readonly [Piece, ...Piece[]], at: number): Piece {
  return line.findLast(({ from }) => from <= at) ?? line[0];
}

/** The nearest element around a text that is more than a piece of a line. */
function blockAround(node: Node): Element | null {
  let block = node.parentElement;
  while (block?.localName === 'span' && !block.classList.contains('foreign')) block = block.parentElement;
  return block;
}
