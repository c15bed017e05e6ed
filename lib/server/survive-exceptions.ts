/**
 * A mistake in one run or one request must not end the others. What a run has done stands in its log, and every append
 * is whole or not there, so that going on does no harm.
 */
export function surviveExceptions(): void {
  process.on('unhandledRejection', (reason) =>
    console.error('A promise was left alone with its error:', reason),
  );
  process.on('uncaughtException', (error) => console.error('An exception was not caught:', error));
}
