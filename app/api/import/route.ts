import type { RunReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readFileBody } from '#lib/http/handle.ts';
import { linesOf, readRunFile } from '#lib/sharing/exports/run-file.ts';

export const dynamic = 'force-dynamic';

/** Takes a run file or a bug bundle: the run is stored under its own name, to be read only. */
export function POST(request: Request) {
  return handle(
    request,
    async () => {
      const file = await readRunFile(linesOf(readFileBody(request)));
      const { run, config, created } = await getRunService().importRun(file);
      const reply: RunReply = { run, config };
      return Response.json(reply, {
        status: created ? 201 : 200,
        headers: { location: `/api/runs/${run.id}` },
      });
    },
    { body: 'lines' },
  );
}
