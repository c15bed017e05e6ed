import { experimentRequest } from '#lib/api/experiment.ts';
import type { ListedStudy, StudiesReply, StudySize } from '#lib/api/study.ts';
import { getExperiments } from '#lib/app/current-experiments.ts';
import { STUDIES } from '#lib/experiments/studies.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the studies that ship with Loupe, each with its plans and their runs per model. */
export function GET(request: Request) {
  return handle(request, async () => {
    const experiments = getExperiments();
    const studies = STUDIES.map(async (study): Promise<ListedStudy> => {
      const count = (size: StudySize) =>
        experiments.count(experimentRequest.parse({ ...study.plans[size], models: ['any'] }));
      const [full, small] = await Promise.all([count('full'), count('small')]);
      return { ...study, runs: { full, small } };
    });
    const reply: StudiesReply = { studies: await Promise.all(studies) };
    return Response.json(reply);
  });
}
