import type { Schedule } from '../state/run-store.ts';

/** How often a page in the background takes in what came: nobody sees it, but its title and its memory should hold. */
const HIDDEN_MS = 400;

/** Before the next frame; on a page that nobody sees, which gets no frames, a few times a second. */
export const browserSchedule: Schedule = (work) => {
  if (document.visibilityState === 'hidden') {
    const timer = setTimeout(work, HIDDEN_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(work);
  // A page that is hidden before its frame comes must not wait for it.
  const timer = setTimeout(() => {
    cancelAnimationFrame(frame);
    work();
  }, HIDDEN_MS);
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
};
