import { getRatings } from '#lib/app/current-ratings.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

interface Context {
  params: Promise<{ ratingId: string }>;
}

/** Ratings with their texts and progress, without the scores. */
export function GET(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getRatings().get((await params).ratingId)));
}

/** Deletes ratings with all scores. */
export function DELETE(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getRatings().delete((await params).ratingId)));
}
