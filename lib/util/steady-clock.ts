/**
 * Wall time that never runs backwards. If the machine's clock is set back, time continues at the pace of the monotonic
 * clock. If it is set forward, or the machine wakes from sleep, time follows.
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

/** The clock of this process, for the timestamps of events. */
export const steadyNow = createSteadyClock();

/**
 * A clock that starts at the current time and ignores later changes of the wall clock. It stops while the machine sleeps,
 * so a run's time limits do not count sleep.
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
