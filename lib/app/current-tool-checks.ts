import { notStarted } from '../errors/not-started.ts';
import type { ToolChecks } from '../models/tool-checks.ts';

const KEY = Symbol.for('loupe.tool-checks');
const place: typeof globalThis & { [KEY]?: ToolChecks } = globalThis;

/** Sets the checks of tools of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setToolChecks(checks: ToolChecks): void {
  place[KEY] = checks;
}

/** @throws {AppError} `not_started` */
export function getToolChecks(): ToolChecks {
  return place[KEY] ?? notStarted();
}
