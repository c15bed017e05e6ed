import { AppError } from '#lib/errors/app-error.ts';
import { handle } from '#lib/http/handle.ts';
import { getRunService } from '#lib/runs/current-service.ts';

export const dynamic = 'force-dynamic';

/** One event, whole, however long its texts are. */
export function GET(request: Request, { params }: { params: Promise<{ runId: string; seq: string }> }) {
  return handle(request, async () => {
    const { runId, seq } = await params;
    if (!/^[1-9]\d{0,14}$/.test(seq)) {
      throw new AppError({ code: 'event_not_found', message: `"${seq.slice(0, 40)}" is no event number.` });
    }
    return Response.json(await getRunService().event(runId, Number(seq)));
  });
}
