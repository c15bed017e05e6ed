import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { benchmarkCsv } from '#lib/benchmarks/benchmark-table.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Downloads all results as JSON Lines, or as CSV with `?format=csv`. */
export function GET(request: Request, { params }: { params: Promise<{ benchmarkId: string }> }) {
  return handle(request, async () => {
    const { benchmarkId } = await params;
    const format = new URL(request.url).searchParams.get('format') ?? 'jsonl';
    if (format !== 'jsonl' && format !== 'csv') {
      throw new AppError({
        code: 'invalid_request',
        message: `format is "${format.slice(0, 40)}"; it must be jsonl or csv.`,
      });
    }
    const results = await getBenchmarks().results(benchmarkId);
    const text =
      format === 'csv'
        ? benchmarkCsv(results)
        : results.map((result) => `${JSON.stringify(result)}\n`).join('');
    return fileResponse(text, {
      name: `loupe-benchmark-${benchmarkId}.${format}`,
      type: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    });
  });
}
