import { createRatingRequest } from '#lib/api/rating.ts';
import { getRatings } from '#lib/app/current-ratings.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the ratings, newest first, and the questionnaires that ship with Loupe. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getRatings().list()));
}

/** Stores a rating study; its models start immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const reply = await getRatings().create(await readBody(request, createRatingRequest));
    return Response.json(reply, { status: 201, headers: { location: `/api/ratings/${reply.rating.id}` } });
  });
}
