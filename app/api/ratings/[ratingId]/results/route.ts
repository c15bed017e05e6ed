import { getRatings } from '#lib/app/current-ratings.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The scores by rater and text, and how far the raters agree. */
export function GET(request: Request, { params }: { params: Promise<{ ratingId: string }> }) {
  return handle(request, async () => Response.json(await getRatings().results((await params).ratingId)));
}
