import { SHARE_SCOPES } from '../events/share-scopes.ts';
import type { StoredRuns } from '../runs/stored-runs.ts';
import { type ExportedLog, exportedLog } from '../sharing/exports/exported-log.ts';
import { oneOf } from './query-choice.ts';

/** The query parameters of `requestedExport`. */
export const EXPORT_PARAMETERS = { query: ['scope', 'redact'], lists: ['show'] } as const;

/**
 * The log for a requested file: `?scope=` selects how much of the run, `?redact=1` redacts it except for the kinds of
 * findings in `?show=`, `?redact=0` does not.
 *
 * @param options.redact the default without `?redact=`
 * @throws {AppError} `invalid_request`, `run_not_found`
 */
export async function requestedExport(
  request: Request,
  runs: StoredRuns,
  runId: string,
  options: { redact: boolean } = { redact: true },
): Promise<ExportedLog> {
  const query = new URL(request.url).searchParams;
  const scope = oneOf(query, 'scope', SHARE_SCOPES) ?? 'everything';
  const redact = (oneOf(query, 'redact', ['0', '1']) ?? (options.redact ? '1' : '0')) === '1';
  const { config } = await runs.get(runId);
  return exportedLog({
    config,
    scope,
    read: () => runs.log(runId),
    redaction: redact ? { ...runs.redaction(config), show: new Set(query.getAll('show')) } : undefined,
  });
}
