import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Stops a benchmark; its results are kept. */
export function POST(request: Request, { params }: { params: Promise<{ benchmarkId: string }> }) {
  return handle(request, async () => Response.json(await getBenchmarks().stop((await params).benchmarkId)), {
    body: 'none',
  });
}
