import { notStarted } from '../errors/not-started.ts';
import type { ModelChecks } from '../models/model-checks.ts';
import type { ModelPulls } from '../models/model-pulls.ts';

const KEY = Symbol.for('loupe.model-pulls');
const CHECKS_KEY = Symbol.for('loupe.model-checks');
const place: typeof globalThis & { [KEY]?: ModelPulls; [CHECKS_KEY]?: ModelChecks } = globalThis;

/** Sets the pulls of this process. Next has a second copy of every module: found through `globalThis`. */
export function setModelPulls(pulls: ModelPulls): void {
  place[KEY] = pulls;
}

/** Sets the checks of this process, in the same way. */
export function setModelChecks(checks: ModelChecks): void {
  place[CHECKS_KEY] = checks;
}

/** @throws {AppError} `not_started` */
export function getModelPulls(): ModelPulls {
  return place[KEY] ?? notStarted();
}

/** @throws {AppError} `not_started` */
export function getModelChecks(): ModelChecks {
  return place[CHECKS_KEY] ?? notStarted();
}
