import { getExperiments } from '#lib/app/current-experiments.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { resultsCsv } from '#lib/experiments/results-table.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Downloads the runs of an experiment with their results as JSON Lines, or CSV with `?format=csv`. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const format = new URL(request.url).searchParams.get('format') ?? 'jsonl';
    if (format !== 'jsonl' && format !== 'csv') {
      throw new AppError({
        code: 'invalid_request',
        message: `format is "${format.slice(0, 40)}"; it must be jsonl or csv.`,
      });
    }
    const { items } = await getExperiments().results(experimentId);
    const text =
      format === 'csv' ? resultsCsv(items) : items.map((item) => `${JSON.stringify(item)}\n`).join('');
    return fileResponse(text, {
      name: `loupe-experiment-${experimentId}.${format}`,
      type: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    });
  });
}
