import { createStore } from 'zustand/vanilla';

/** The last announcement and the number of announcements, so that the same text is announced twice. */
export const said = createStore<{ readonly words: string; readonly count: number }>(() => ({
  words: '',
  count: 0,
}));

/** Shows a short confirmation of a key press or click, also announced to screen readers. */
export function say(words: string): void {
  said.setState(({ count }) => ({ words, count: count + 1 }));
}
