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
    // A word in several pieces, as in colored code, has no place.
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
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && found.length < MAX_PLACES; node = texts.nextNode()) {
    const text = node.nodeValue ?? '';
    const plain = plainWord(text);
    // If accents were separate characters, offsets would be shifted.
    const searched = plain.length === text.length ? plain : text.toLowerCase();
    if (searched.length !== text.length) continue;
    for (const word of words) {
      for (let at = searched.indexOf(word); at >= 0; at = searched.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        found.push(range);
      }
    }
  }
  return found;
}
