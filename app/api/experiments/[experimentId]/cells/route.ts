import type { CellsReply } from '#lib/api/experiment-cells.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { cellsOf } from '#lib/experiments/cells.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The results of an experiment by model, options and factors. */
export function GET(request: Request, { params }: { params: Promise<{ experimentId: string }> }) {
  return handle(request, async () => {
    const { experimentId } = await params;
    const { items } = await getExperiments().get(experimentId);
    const reply: CellsReply = { cells: cellsOf(items) };
    return Response.json(reply);
  });
}
