/**
 * Milliseconds of CPU time that a synchronous piece of work takes in this thread. Unlike wall-clock time, it
 * hardly depends on other load: a generous bound on it only catches work that grows with the square of its input.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
