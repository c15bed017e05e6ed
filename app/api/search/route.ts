import type { SearchReply } from '#lib/api/search.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { handle, wholeNumber } from '#lib/http/handle.ts';
import { searchPageStart, searchPageToken } from '#lib/http/page-token.ts';
import { MAX_QUERY_CHARS } from '#lib/util/search-words.ts';

export const dynamic = 'force-dynamic';

/** Finds runs by the words in their events, with the best matches of each. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const query = new URL(request.url).searchParams.get('q');
      if (query === null || query.length > MAX_QUERY_CHARS) {
        throw new AppError({
          code: 'invalid_request',
          message: query === null ? 'q is missing.' : `q is longer than ${MAX_QUERY_CHARS} characters.`,
          hint: 'GET /api/search?q=WORDS',
        });
      }
      const limit = wholeNumber(request, 'limit', { min: 1, max: 50 }) ?? 20;
      const { next, ...found } = await getRunService().stored.search(query, {
        limit,
        from: searchPageStart(request),
      });
      const reply: SearchReply = { ...found, next: next && searchPageToken(next) };
      return Response.json(reply);
    },
    { query: ['q', 'limit', 'before'] },
  );
}
