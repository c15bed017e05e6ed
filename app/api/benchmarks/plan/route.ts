import { benchmarkPlanRequest } from '#lib/api/benchmark.ts';
import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The categories in a folder with their numbers of cases. Starts nothing. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { folder } = await readBody(request, benchmarkPlanRequest);
    return Response.json(await getBenchmarks().plan(folder));
  });
}
