import { getExperiments } from '#lib/app/current-experiments.ts';
import { resultsCsv } from '#lib/experiments/results-table.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';

export const dynamic = 'force-dynamic';

/** Downloads the runs of an experiment with their results as JSON Lines, or CSV with `?format=csv`. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(
    request,
    async () => {
      const { experimentId } = await params;
      const query = new URL(request.url).searchParams;
      const format = oneOf(query, 'format', ['jsonl', 'csv']) ?? 'jsonl';
      const { items } = await getExperiments().results(experimentId);
      const text =
        format === 'csv' ? resultsCsv(items) : items.map((item) => `${JSON.stringify(item)}\n`).join('');
      return fileResponse(text, {
        name: `loupe-experiment-${experimentId}.${format}`,
        type: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      });
    },
    { query: ['format'] },
  );
}
