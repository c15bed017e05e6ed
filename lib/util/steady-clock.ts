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

/** The clock of this process: what events are dated with. */
export const steadyNow = createSteadyClock();

/**
 * A clock that begins at the present time and cannot be set from then on, neither back nor forward, and stands still while
 * the machine sleeps: what the limits of a run are measured by.
 *
 * @returns a clock in milliseconds since 1970
 */
export function createPacedClock(
  start: number = steadyNow(),
  pace: () => number = () => performance.now(),
): () => number {
  const offset = start - pace();
  return () => Math.round(offset + pace());
}
