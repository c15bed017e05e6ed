import type { ExperimentRequest } from '../../api/experiment.ts';
import { askedSettings } from '../../api/run-settings.ts';
import type { RunSummary } from '../../api/run-summary.ts';
import { withoutAddedRules } from '../../api/tools.ts';
import type { RunConfig } from '../../events/config.ts';
import { isLedByPerson, kindFacts, kindOf } from '../../events/modes.ts';
import { withoutNamedOptions } from '../../events/sent-options.ts';

/** How many runs the form of a run starts at once; the plan of an experiment can repeat more (`MAX_EXPERIMENT_REPEATS`). */
export const MIN_RUN_REPEATS = 2;
export const MAX_RUN_REPEATS = 20;

/**
 * Whether a run can be repeated as an experiment: a person's messages in a session cannot be repeated, and experiments
 * have no images.
 */
export function canRepeat(config: RunConfig): boolean {
  return !isLedByPerson(config) && !config.images?.length;
}

/** A run whose settings another one takes over. */
export type FormerRun = Pick<RunSummary, 'id' | 'imported_at'>;

/**
 * The folder that a person chose for a run, to work in or to copy; `undefined` if there is none, or it was created for
 * the run. A run file may name any folder of this machine, so the folder of an imported run only counts once a person
 * enters it.
 */
export function chosenFolder({ workspace, copied_from }: RunConfig, run: FormerRun): string | undefined {
  if (copied_from !== undefined && run.imported_at === undefined) return copied_from;
  const madeForIt = workspace.split(/[\\/]/).at(-1) === run.id;
  return workspace === '' || madeForIt || run.imported_at !== undefined ? undefined : workspace;
}

/**
 * An experiment that repeats a run: its model, options, seed if it has one, and the settings that a person set; other
 * settings take their defaults. Each run of a task works on a copy of the folder as it is then, or in an empty one.
 * Pure.
 */
export function repeatRequest(
  config: RunConfig,
  {
    run,
    title,
    times,
  }: {
    run: FormerRun;
    title: string;
    times: number;
  },
): ExperimentRequest {
  const { seed, ...options } = withoutNamedOptions(config.model_options);
  const { explore } = config;
  const kind = kindOf(config);
  const folder = chosenFolder(config, run);
  // Options and cycles have separate fields; the sessions of an experiment neither pause nor wait.
  const {
    model_options: _options,
    max_cycles: _cycles,
    turn_delay: _delay,
    unattended: _unattended,
    approval,
    ...others
  } = askedSettings(config);
  const rules = approval && run.imported_at !== undefined ? withoutAddedRules(approval) : approval;
  const settings = { ...others, ...(rules ? { approval: rules } : {}) };
  return {
    name: `${title.slice(0, 90)} × ${times}`,
    mode: kind,
    models: [config.model],
    options: [options],
    seeds: typeof seed === 'number' ? [seed] : [],
    repeats: times,
    ...(kindFacts(kind).task === 'none' ? {} : { task: config.task }),
    ...(folder === undefined ? {} : { workspace: folder }),
    ...(explore ? { cycles: explore.max_cycles ?? 5 } : {}),
    settings,
  };
}
