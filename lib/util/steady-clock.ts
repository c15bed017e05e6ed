/**
 * Wall time that never runs backwards: when the clock of the machine is set back, it goes on from where it was at the
 * pace of a clock that cannot be set. Set forward, or woken from sleep, it follows.
 *
 * @returns a clock in milliseconds since 1970
 */
export function createSteadyClock(
  wall: () => number = () => Date.now(),
  pace: () => number = () => performance.now(),
): () => number {
  let lastTime = wall();
  let lastPace = pace();
  return () => {
    const nowPace = pace();
    lastTime = Math.max(wall(), lastTime + (nowPace - lastPace));
    lastPace = nowPace;
    return Math.round(lastTime);
  };
}

/** The clock of this process: what events are dated with and limits are measured by. */
export const steadyNow = createSteadyClock();
