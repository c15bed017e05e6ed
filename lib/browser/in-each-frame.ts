/** Frames to wait for something far away in a virtual list to be drawn, and for its parts to be unfolded. */
const MAX_FRAMES = 30;

/** Calls `look` in each frame until it returns true, or as often as `frames` says. */
export function inEachFrame(look: () => boolean, frames = MAX_FRAMES): void {
  requestAnimationFrame(() => {
    if (!look() && frames > 0) inEachFrame(look, frames - 1);
  });
}
