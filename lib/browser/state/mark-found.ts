import { plainWord } from '../../util/search-words.ts';

/** Max marked places; the rows in sight have far fewer. */
const MAX_PLACES = 2000;
/** The name in `::highlight(found)`. */
const NAME = 'found';

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

/** Whether all words are drawn inside an element. */
export function isDrawn(element: HTMLElement, words: readonly string[]): boolean {
  const text = plainWord(element.textContent);
  return words.every((word) => text.includes(word));
}

/** The first place of one of the words inside an element. */
export function firstFound(element: HTMLElement, words: readonly string[]): Range | undefined {
  return places(element, words, 1)[0];
}

function places(root: HTMLElement, words: readonly string[], max = MAX_PLACES): Range[] {
  const found: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && found.length < max; node = texts.nextNode()) {
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
