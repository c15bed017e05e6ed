import type { CommandTools } from '../command-tools/command-tools.ts';
import { notStarted } from '../errors/not-started.ts';

const KEY = Symbol.for('loupe.command-tools');
const place: typeof globalThis & { [KEY]?: CommandTools } = globalThis;

/** Sets the custom tools of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setCommandTools(tools: CommandTools): void {
  place[KEY] = tools;
}

/** @throws {AppError} `not_started` */
export function getCommandTools(): CommandTools {
  return place[KEY] ?? notStarted();
}
