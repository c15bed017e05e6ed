import { benchmarkRequest } from '#lib/api/benchmark.ts';
import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle, idempotencyKey, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the benchmarks, the newest first. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getBenchmarks().list()));
}

/** Starts a benchmark and returns immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const body = await readBody(request, benchmarkRequest);
    const { created, ...reply } = await getBenchmarks().create(body, {
      idempotencyKey: idempotencyKey(request),
    });
    return Response.json(reply, {
      status: created ? 201 : 200,
      headers: { location: `/api/benchmarks/${reply.benchmark.id}` },
    });
  });
}
