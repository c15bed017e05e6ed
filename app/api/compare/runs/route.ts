import type { CompareRunsReply } from '#lib/api/comparison.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { MAX_COMPARED_RUNS } from '#lib/events/limits.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The results of several runs: figures, conditions, final answers and changed files, and which settings differ. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const ids = new URL(request.url).searchParams.getAll('run');
      if (ids.length < 2 || ids.length > MAX_COMPARED_RUNS || ids.includes('')) {
        throw new AppError({
          code: 'invalid_request',
          message: `A comparison takes 2 to ${MAX_COMPARED_RUNS} runs, each as run=ID; ${ids.length} were given.`,
        });
      }
      const reply: CompareRunsReply = await getRunService().stored.compareRuns(ids, request.signal);
      return Response.json(reply);
    },
    { lists: ['run'] },
  );
}
