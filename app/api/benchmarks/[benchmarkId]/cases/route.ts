import { RESULT_FILTERS } from '#lib/api/benchmark-filter.ts';
import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { handle, wholeNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

const MAX_CASES = 500;

/** Results in order: after a position, of a model, of a category, or those that reading made right or wrong. */
export function GET(request: Request, { params }: { params: Promise<{ benchmarkId: string }> }) {
  return handle(request, async () => {
    const { benchmarkId } = await params;
    const query = new URL(request.url).searchParams;
    const named = query.get('filter') ?? 'all';
    const filter = RESULT_FILTERS.find((known) => known === named);
    if (!filter) {
      throw new AppError({
        code: 'invalid_request',
        message: `filter is "${named.slice(0, 40)}"; it must be one of ${RESULT_FILTERS.join(', ')}.`,
      });
    }
    const reply = await getBenchmarks().cases(benchmarkId, {
      filter,
      after: wholeNumber(request, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0,
      limit: wholeNumber(request, 'limit', { min: 1, max: MAX_CASES }) ?? 100,
      model: query.get('model') ?? undefined,
      category: query.get('category') ?? undefined,
    });
    return Response.json(reply);
  });
}
