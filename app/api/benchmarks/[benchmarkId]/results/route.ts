import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { benchmarkCsv } from '#lib/benchmarks/benchmark-table.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';

export const dynamic = 'force-dynamic';

/** Downloads all results as JSON Lines, or as CSV with `?format=csv`. */
export function GET(request: Request, { params }: { params: Promise<{ benchmarkId: string }> }) {
  return handle(
    request,
    async () => {
      const { benchmarkId } = await params;
      const query = new URL(request.url).searchParams;
      const format = oneOf(query, 'format', ['jsonl', 'csv']) ?? 'jsonl';
      const results = await getBenchmarks().results(benchmarkId);
      const text =
        format === 'csv'
          ? benchmarkCsv(results)
          : results.map((result) => `${JSON.stringify(result)}\n`).join('');
      return fileResponse(text, {
        name: `loupe-benchmark-${benchmarkId}.${format}`,
        type: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      });
    },
    { query: ['format'] },
  );
}
