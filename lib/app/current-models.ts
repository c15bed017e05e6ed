import { notStarted } from '../errors/not-started.ts';
import type { ModelChecks } from '../models/model-checks.ts';
import type { ModelPrices } from '../models/model-prices.ts';
import type { ModelPulls } from '../models/model-pulls.ts';
import type { Reruns } from '../models/reruns.ts';

const KEY = Symbol.for('loupe.model-pulls');
const CHECKS_KEY = Symbol.for('loupe.model-checks');
const PRICES_KEY = Symbol.for('loupe.model-prices');
const RERUNS_KEY = Symbol.for('loupe.reruns');
const place: typeof globalThis & {
  [KEY]?: ModelPulls;
  [CHECKS_KEY]?: ModelChecks;
  [PRICES_KEY]?: ModelPrices;
  [RERUNS_KEY]?: Reruns;
} = globalThis;

/** Sets the pulls of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setModelPulls(pulls: ModelPulls): void {
  place[KEY] = pulls;
}

/** Sets the checks of this process in the same way. */
export function setModelChecks(checks: ModelChecks): void {
  place[CHECKS_KEY] = checks;
}

/** Sets the prices of this process in the same way. */
export function setModelPrices(prices: ModelPrices): void {
  place[PRICES_KEY] = prices;
}

/** Sets the service that sends model calls again in the same way. */
export function setReruns(reruns: Reruns): void {
  place[RERUNS_KEY] = reruns;
}

/** @throws {AppError} `not_started` */
export function getModelPulls(): ModelPulls {
  return place[KEY] ?? notStarted();
}

/** @throws {AppError} `not_started` */
export function getModelChecks(): ModelChecks {
  return place[CHECKS_KEY] ?? notStarted();
}

/** @throws {AppError} `not_started` */
export function getModelPrices(): ModelPrices {
  return place[PRICES_KEY] ?? notStarted();
}

/** @throws {AppError} `not_started` */
export function getReruns(): Reruns {
  return place[RERUNS_KEY] ?? notStarted();
}
