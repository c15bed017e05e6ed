import { createWriteStream, openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runFileHeader } from '../lib/sharing/exports/run-file.ts';
import { longLog } from '../lib/testing/sample-logs.ts';

// Steps that bench/import.ts runs in separate processes, so that their CPU time and garbage don't distort its measurements:
//   import-steps.ts write PATH EVENTS
//   LOUPE_URL=… LOUPE_TOKEN=… import-steps.ts upload PATH

const [step, path = '', events = ''] = process.argv.slice(2);

if (step === 'write') {
  const log = longLog(Number(events) - 20, { runId: 'bench-import' }).events;
  await pipeline(
    Readable.from([runFileHeader('bench-import'), ...log].map((value) => `${JSON.stringify(value)}\n`)),
    createWriteStream(path),
  );
} else {
  const answer = await fetch(`${process.env.LOUPE_URL}/api/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${process.env.LOUPE_TOKEN}`,
      'content-type': 'application/x-ndjson',
    },
    body: await openAsBlob(path),
  });
  if (answer.status !== 201)
    throw new Error(`The import was answered with ${answer.status}: ${await answer.text()}`);
}
