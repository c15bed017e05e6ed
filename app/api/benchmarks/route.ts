import { benchmarkRequest } from '#lib/api/benchmark.ts';
import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the benchmarks, the newest first. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getBenchmarks().list()));
}

/** Starts a benchmark and returns immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const reply = await getBenchmarks().create(await readBody(request, benchmarkRequest));
    return Response.json(reply, {
      status: 201,
      headers: { location: `/api/benchmarks/${reply.benchmark.id}` },
    });
  });
}
