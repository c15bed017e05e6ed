import { experimentRequest } from '#lib/api/experiment.ts';
import { type ReadPlanReply, readPlanRequest } from '#lib/api/experiment-files.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { getSuites } from '#lib/app/current-suites.ts';
import { readPlanInThread } from '#lib/experiments/read-in-thread.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Reads a plan file, stores the suite file that belongs to it, and counts the runs. Starts nothing. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { text, suite } = await readBody(request, readPlanRequest);
    const { request: plan, suiteFile } = await readPlanInThread(text);
    if (suiteFile && !suite) {
      const reply: ReadPlanReply = { request: plan, suite_file: suiteFile.path };
      return Response.json(reply);
    }
    let asked = plan;
    if (suiteFile && suite) {
      const { path: _, ...chosen } = suiteFile;
      const kept = await getSuites().keep(suite);
      asked = { ...plan, suite: { ...kept, ...chosen } };
    }
    const runs = await getExperiments().count(experimentRequest.parse(asked));
    const reply: ReadPlanReply = { request: asked, runs };
    return Response.json(reply);
  });
}
