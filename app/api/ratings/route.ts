import { createRatingRequest } from '#lib/api/rating.ts';
import { getRatings } from '#lib/app/current-ratings.ts';
import { handle, idempotencyKey, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the ratings, newest first, and the questionnaires that ship with Loupe. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getRatings().list()));
}

/** Stores a rating study; its models start immediately. */
export function POST(request: Request) {
  return handle(request, async () => {
    const body = await readBody(request, createRatingRequest);
    const { created, ...reply } = await getRatings().create(body, {
      idempotencyKey: idempotencyKey(request),
    });
    return Response.json(reply, {
      status: created ? 201 : 200,
      headers: { location: `/api/ratings/${reply.rating.id}` },
    });
  });
}
