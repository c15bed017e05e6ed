import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle, pathNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ benchmarkId: string; position: string }> };

/** A result with what was sent, what was replied, and how it was read. */
export function GET(request: Request, { params }: Context) {
  return handle(request, async () => {
    const { benchmarkId, position } = await params;
    const number = pathNumber(position, 'benchmark_case_not_found');
    return Response.json(await getBenchmarks().case(benchmarkId, number));
  });
}
