import { personScoresRequest } from '#lib/api/rating.ts';
import { getRatings } from '#lib/app/current-ratings.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle, readBody } from '#lib/http/handle.ts';
import { ratingCells } from '#lib/ratings/rating-results.ts';
import { csvText } from '#lib/util/csv.ts';

export const dynamic = 'force-dynamic';

interface Context {
  params: Promise<{ ratingId: string }>;
}

/** Downloads every score as CSV. */
export function GET(request: Request, { params }: Context) {
  return handle(request, async () => {
    const { ratingId } = await params;
    const { study, rated } = await getRatings().scores(ratingId);
    return fileResponse(csvText(ratingCells(study, rated)), {
      name: `loupe-ratings-${ratingId}.csv`,
      type: 'text/csv',
    });
  });
}

/** Stores a person's scores of a text. */
export function POST(request: Request, { params }: Context) {
  return handle(request, async () => {
    const body = await readBody(request, personScoresRequest);
    return Response.json(await getRatings().score((await params).ratingId, body));
  });
}
