import type { RunReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readFileBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Imports a run file or a bug bundle as a read-only run under its own ID. */
export function POST(request: Request) {
  return handle(
    request,
    async () => {
      const { run, config, created } = await getRunService().importRun(readFileBody(request), request.signal);
      const reply: RunReply = { run, config };
      return Response.json(reply, {
        status: created ? 201 : 200,
        headers: { location: `/api/runs/${run.id}` },
      });
    },
    { body: 'lines' },
  );
}
