import type { ExperimentRequest } from './experiment.ts';

/** `small` is for a first look and for tests: a few cases, one repeat. */
export const STUDY_SIZES = ['full', 'small'] as const;
export type StudySize = (typeof STUDY_SIZES)[number];

/** The plan of a study, without the models, which a person chooses. */
export type StudyPlan = Omit<ExperimentRequest, 'models' | 'confirm_runs'>;

/** An experiment that ships with Loupe: a question, a plan, and how to read the result. */
export interface Study {
  /** In requests and commands. */
  name: string;
  title: string;
  question: string;
  meaning: string;
  plans: Readonly<Record<StudySize, StudyPlan>>;
}

/** A study in a list, with the number of runs for each model. */
export interface ListedStudy extends Study {
  runs: Readonly<Record<StudySize, number>>;
}

/** `GET /api/studies` */
export interface StudiesReply {
  studies: ListedStudy[];
}
