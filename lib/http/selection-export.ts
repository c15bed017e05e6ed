import { selectionRequest } from '../api/annotate-run.ts';
import type { StoredRuns } from '../runs/stored-runs.ts';
import { checked } from './handle.ts';
import { ZipDownload } from './zip-download.ts';

/**
 * The run files of `?runs=A,B,…` in one zip file, packed while it is sent. Reads one log at a time, page by page.
 *
 * @throws {AppError} `invalid_request`, `run_not_found`
 */
export async function selectionExport(request: Request, stored: StoredRuns): Promise<Response> {
  const asked = new URL(request.url).searchParams.get('runs') ?? '';
  const { runs } = checked(selectionRequest, { runs: asked.split(',').filter(Boolean) });
  const found = await Promise.all([...new Set(runs)].map((runId) => stored.get(runId)));
  const zip = new ZipDownload();
  for (const { run } of found) zip.addRun(`loupe-${run.id}.jsonl`, run, stored);
  return zip.response('loupe-runs.zip', request.signal);
}
