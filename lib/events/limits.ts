/** Limits that server, dashboard and command line share. A setting of a run has its own in `settings.ts`. */
export const MAX_TITLE_CHARS = 200;
export const MAX_TASK_CHARS = 200_000;
export const MAX_MODEL_NAME_CHARS = 300;
/** One message of the operator to a run. */
export const MAX_MESSAGE_CHARS = 8000;
/** Text that a viewer gets and keeps, in UTF-16 units: longer texts are cut, and the whole event can be requested. */
export const MAX_STREAMED_CHARS = 65_536;
/** Limits of an experiment: its runs in total, and what they are made of. */
export const MAX_EXPERIMENT_RUNS = 1000;
export const MAX_OPTION_SETS = 50;
export const MAX_SEEDS = 200;
export const MAX_REPEATS = 200;
