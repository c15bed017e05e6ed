import { readEnvironment } from '../config/environment.ts';
import { startService } from './start-service.ts';

/** Starts the service inside `next dev`, which has its own server and port. Ctrl-C stops it. */
export async function startForDevelopment(): Promise<void> {
  const opened = await startService(readEnvironment(process.env));
  const port = process.env.PORT ?? '3000';
  console.info(`Sign in: http://localhost:${port}/api/session?t=${opened.gate.newTicket()}`);
  const stop = () => void opened.close().finally(() => process.exit());
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  await opened.service.resumeUnfinished();
  await opened.experiments.resume();
  opened.benchmarks.start();
  await opened.sharing.resume();
}
