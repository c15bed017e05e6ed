import { getRatings } from '#lib/app/current-ratings.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Stops the models; what is rated is kept. */
export function POST(request: Request, { params }: { params: Promise<{ ratingId: string }> }) {
  return handle(request, async () => Response.json(await getRatings().stop((await params).ratingId)), {
    body: 'none',
  });
}
