import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ benchmarkId: string }> };

/** A benchmark with its progress and its figures. */
export function GET(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getBenchmarks().get((await params).benchmarkId)));
}

/** Deletes a benchmark with its results; one that runs is stopped. */
export function DELETE(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getBenchmarks().delete((await params).benchmarkId)));
}
