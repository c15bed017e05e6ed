import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRunService } from './lib/app/current-service.ts';

/**
 * `npm start` has opened the service before Next. `next dev` runs without our server, so the service is opened here.
 * Either way it is outside Next's bundles, so that there is only one copy of the engine and the store.
 */
if (!findRunService()) {
  // better-sqlite3 ends the process without a message if Node is too old.
  if (Number(process.versions.napi) < 10) {
    throw new Error(`Loupe needs Node 22.19 or newer; this is ${process.versions.node}.`);
  }
  const source = pathToFileURL(join(process.cwd(), 'lib', 'app', 'start-for-development.ts'));
  const { startForDevelopment } = await import(/* turbopackIgnore: true */ source.href);
  await startForDevelopment();
}
