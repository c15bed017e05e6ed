/**
 * Milliseconds of processor time that a synchronous piece of work takes in this thread. Unlike the time on the clock it
 * hardly depends on what else the machine does: a bound far above it finds work that grows with the square of its
 * input, and nothing else.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
