import { createStore } from 'zustand/vanilla';

/** Holds the last announcement, and how many there were, so that the same text is announced twice. */
const announcements = () =>
  createStore<{ readonly words: string; readonly count: number }>(() => ({ words: '', count: 0 }));

/** What is also shown for a moment. */
export const said = announcements();
/** What only screen readers get. */
export const announced = announcements();

/** Shows a short confirmation of a key press or click, also announced to screen readers. */
export function say(words: string): void {
  said.setState(({ count }) => ({ words, count: count + 1 }));
}

/** Announces to screen readers what the page shows by itself. */
export function announce(words: string): void {
  announced.setState(({ count }) => ({ words, count: count + 1 }));
}
