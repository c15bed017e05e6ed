import { MAX_LISTED_CASES, RESULT_FILTERS } from '#lib/api/benchmark-filter.ts';
import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle, wholeNumber } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';

export const dynamic = 'force-dynamic';

/** Results in order: after a position, of a model, of a category, or those that reading made right or wrong. */
export function GET(request: Request, { params }: { params: Promise<{ benchmarkId: string }> }) {
  return handle(
    request,
    async () => {
      const { benchmarkId } = await params;
      const query = new URL(request.url).searchParams;
      const reply = await getBenchmarks().cases(benchmarkId, {
        filter: oneOf(query, 'filter', RESULT_FILTERS) ?? 'all',
        after: wholeNumber(request, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0,
        limit: wholeNumber(request, 'limit', { min: 1, max: MAX_LISTED_CASES }) ?? 100,
        model: query.get('model') ?? undefined,
        category: query.get('category') ?? undefined,
      });
      return Response.json(reply);
    },
    { query: ['filter', 'after', 'limit', 'model', 'category'] },
  );
}
