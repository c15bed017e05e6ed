/**
 * An error in one run or request must not end the others. Continuing is safe, because a run's progress is in its log and
 * every append is atomic. The same goes for a closed output: reporting its error would fail again, endlessly.
 */
export function surviveExceptions(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  process.on('unhandledRejection', (reason) => console.error('Unhandled rejection:', reason));
  process.on('uncaughtException', (error) => console.error('Uncaught exception:', error));
}
