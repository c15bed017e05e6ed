/**
 * An error in one run or request must not end the others. Continuing is safe, because a run's progress is in its log and
 * every append is atomic. Neither must an output that nobody reads any more: reporting its error would fail the same way,
 * without end.
 */
export function surviveExceptions(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  process.on('unhandledRejection', (reason) => console.error('Unhandled rejection:', reason));
  process.on('uncaughtException', (error) => console.error('Uncaught exception:', error));
}
