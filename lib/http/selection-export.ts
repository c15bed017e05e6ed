import { Readable } from 'node:stream';
import yazl from 'yazl';
import { selectionRequest } from '../api/annotate-run.ts';
import type { StoredRuns } from '../runs/stored-runs.ts';
import { runFile } from '../sharing/exports/run-file.ts';
import { checked } from './handle.ts';
import { jsonLines } from './json-lines.ts';

/**
 * The run files of `?runs=A,B,…` in one zip file, packed while it is sent: one log is read at a time, and page by page.
 *
 * @throws {AppError} `invalid_request`, `run_not_found`
 */
export async function selectionExport(request: Request, stored: StoredRuns): Promise<Response> {
  const asked = new URL(request.url).searchParams.get('runs') ?? '';
  const { runs } = checked(selectionRequest, { runs: asked.split(',').filter(Boolean) });
  const found = await Promise.all([...new Set(runs)].map((runId) => stored.get(runId)));
  const zip = new yazl.ZipFile();
  const output = Readable.from(zip.outputStream);
  for (const { run } of found) {
    const images = await stored.imagesForFile(run.id);
    zip.addReadStreamLazy(`loupe-${run.id}.jsonl`, { mtime: new Date(run.created_at) }, (done) => {
      const { annotations } = run;
      const file = Readable.from(jsonLines(runFile(run.id, stored.log(run.id), { annotations }, images)));
      // A run that is deleted meanwhile breaks the download off, so that the file does not look complete.
      file.once('error', (error) => output.destroy(error));
      done(null, file);
    });
  }
  zip.end();
  request.signal.addEventListener('abort', () => output.destroy(), { once: true });
  return new Response(Readable.toWeb(output) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="loupe-runs.zip"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}
