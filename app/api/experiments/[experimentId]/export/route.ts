import { EXPERIMENT_EXPORTS } from '#lib/api/experiment-files.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { experimentExport } from '#lib/http/experiment-export.ts';
import { handle } from '#lib/http/handle.ts';
import { oneOf, requiredChoice } from '#lib/http/query-choice.ts';

export const dynamic = 'force-dynamic';

/** Downloads an experiment: `?format=plan`, the report as `html`, or a `bundle` of everything with the logs of its runs. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(
    request,
    async () => {
      const { experimentId } = await params;
      const query = new URL(request.url).searchParams;
      return experimentExport(experimentId, {
        format: requiredChoice(query, 'format', EXPERIMENT_EXPORTS),
        redact: oneOf(query, 'redact', ['0', '1']) !== '0',
        experiments: getExperiments(),
        stored: getRunService().stored,
        signal: request.signal,
      });
    },
    { query: ['format', 'redact'] },
  );
}
