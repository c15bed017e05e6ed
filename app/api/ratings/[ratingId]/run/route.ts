import { getRatings } from '#lib/app/current-ratings.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lets the models rate what they have not rated yet. */
export function POST(request: Request, { params }: { params: Promise<{ ratingId: string }> }) {
  return handle(request, async () => Response.json(await getRatings().run((await params).ratingId)), {
    body: 'none',
  });
}
