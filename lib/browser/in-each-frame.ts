/** Frames to wait for something far away in a virtual list to be drawn, and for its parts to be unfolded. */
const MAX_FRAMES = 30;

/** Calls `look` in each frame until it returns true or `frames` frames have passed. */
export function inEachFrame(look: () => boolean, frames = MAX_FRAMES): void {
  requestAnimationFrame(() => {
    if (!look() && frames > 0) inEachFrame(look, frames - 1);
  });
}
