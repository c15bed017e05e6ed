import { createStore } from 'zustand/vanilla';

/** What the page said last, and how often it said anything: the same words twice are said twice. */
export const said = createStore<{ readonly words: string; readonly count: number }>(() => ({
  words: '',
  count: 0,
}));

/** Shows a short confirmation of a key press or click, also announced to screen readers. */
export function say(words: string): void {
  said.setState(({ count }) => ({ words, count: count + 1 }));
}
