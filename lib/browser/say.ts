import { createStore } from 'zustand/vanilla';

/** What the page said last, and how often it said anything: the same words twice are said twice. */
export const said = createStore<{ readonly words: string; readonly count: number }>(() => ({
  words: '',
  count: 0,
}));

/** Says in passing what a key or a click has done: shown for a moment, and heard by those who listen. */
export function say(words: string): void {
  said.setState(({ count }) => ({ words, count: count + 1 }));
}
