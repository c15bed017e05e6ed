import { findRunService } from './lib/runs/current-service.ts';

/**
 * `npm start` has opened the service before Next. Under `next dev` there is no server of ours: the service is opened
 * here, and the link leads to a handler instead.
 */
if (!findRunService()) {
  if (Number(process.versions.napi) < 10) {
    throw new Error(`Loupe needs Node 22.18 or newer; this is ${process.versions.node}.`);
  }
  const { startForDevelopment } = await import('./lib/server/start-for-development.ts');
  await startForDevelopment();
}
