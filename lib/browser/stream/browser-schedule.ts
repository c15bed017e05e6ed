import type { Schedule } from '../state/run-store.ts';

/** Update interval of a background page, for its title and to bound its memory. */
const HIDDEN_MS = 400;

/** Schedules before the next frame; on a hidden page, which gets no frames, a few times a second. */
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
