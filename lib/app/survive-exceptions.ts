/**
 * An error in one run or request must not end the others. Continuing is safe, because a run's progress is in its log and
 * every append is atomic.
 */
export function surviveExceptions(): void {
  process.on('unhandledRejection', (reason) => console.error('Unhandled rejection:', reason));
  process.on('uncaughtException', (error) => console.error('Uncaught exception:', error));
}
