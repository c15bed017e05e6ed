import { getBenchmarks } from '#lib/app/current-benchmarks.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Continues a stopped benchmark, without repeating cases. */
export function POST(request: Request, { params }: { params: Promise<{ benchmarkId: string }> }) {
  return handle(
    request,
    async () => Response.json(await getBenchmarks().continue((await params).benchmarkId)),
    { body: 'none' },
  );
}
