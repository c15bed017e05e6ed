import { z } from 'zod';
import type { ExperimentRequest } from './experiment.ts';
import { suiteFileFormat } from './suite.ts';

/** The files of an experiment as a whole; its results are `GET /api/experiments/{id}/results`. */
export const EXPERIMENT_EXPORTS = ['plan', 'html', 'bundle'] as const;
export type ExperimentExport = (typeof EXPERIMENT_EXPORTS)[number];

/** Body of `POST /api/experiments/read`: the text of a plan file, and of the suite file that it names. */
export const readPlanRequest = z.strictObject({
  text: z.string(),
  suite: z
    .strictObject({
      text: z.string(),
      format: suiteFileFormat,
      /** The suite's name, for a file without one. */
      name: z.string().max(100).optional(),
    })
    .optional(),
});
export type ReadPlanRequest = z.infer<typeof readPlanRequest>;

export interface ReadPlanReply {
  /** The body of `POST /api/experiments`. */
  request: ExperimentRequest;
  /** How many runs it has; missing if the suite file is. */
  runs?: number;
  /** The path of the suite file that the plan names, if it was not sent. */
  suite_file?: string;
}
