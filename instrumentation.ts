/** Called by Next once per process, before the first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./instrumentation-node.ts');
}
