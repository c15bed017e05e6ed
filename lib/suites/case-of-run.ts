import { askedSettings, definedOf } from '../api/run-settings.ts';
import { CASE_SETTINGS, type SuiteCaseInput } from '../api/suite.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { isLedByPerson, kindOf } from '../events/modes.ts';

/**
 * The case that repeats a run's task: with its prompt, the settings that were set, its checks, and the folder it worked
 * in or on a copy of. The model and its options are not part of a case.
 *
 * @param folder the folder of a person; missing if it worked in an empty one
 * @throws {AppError} `invalid_request` for a session that a person led
 */
export function caseOfRun(id: string, config: RunConfig, folder: string | undefined): SuiteCaseInput {
  const mode = kindOf(config);
  if (isLedByPerson(config)) {
    throw new AppError({
      code: 'invalid_request',
      message: 'This session cannot become a case, because its model answered a person.',
      hint: 'Add a session on autopilot, or another kind of run.',
    });
  }
  const asked = Object.entries(definedOf(askedSettings(config))).filter(([name]) =>
    CASE_SETTINGS.includes(name),
  );
  return {
    id,
    ...(config.task === '' ? {} : { input: config.task }),
    ...(mode === 'task' ? {} : { mode }),
    ...(folder === undefined ? {} : { folder }),
    ...(asked.length > 0 ? { settings: Object.fromEntries(asked) } : {}),
    ...(config.checks.length > 0 ? { checks: config.checks } : {}),
  };
}
