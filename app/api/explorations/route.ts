import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { cycleTableCells } from '#lib/events/cycle-table.ts';
import { MAX_EXPLORATIONS } from '#lib/events/limits.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';
import { csvText } from '#lib/util/csv.ts';

export const dynamic = 'force-dynamic';

/** The cycles of explorations with the similarity of their reflections, or their cycles as CSV with `?format=csv`. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const query = new URL(request.url).searchParams;
      const ids = query.getAll('run');
      if (ids.length < 1 || ids.length > MAX_EXPLORATIONS || ids.includes('')) {
        throw new AppError({
          code: 'invalid_request',
          message: `Name 1 to ${MAX_EXPLORATIONS} explorations, each as run=ID; ${ids.length} were given.`,
        });
      }
      const format = oneOf(query, 'format', ['json', 'csv']) ?? 'json';
      const reply = await getRunService().stored.explorations(ids, request.signal);
      if (format === 'json') return Response.json(reply);
      const rows = cycleTableCells(
        reply.runs.map(({ run, table }) => ({ run_id: run.id, model: run.model, table })),
      );
      return fileResponse(csvText(rows), { name: 'loupe-cycles.csv', type: 'text/csv' });
    },
    { query: ['format'], lists: ['run'] },
  );
}
