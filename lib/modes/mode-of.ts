import type { RunConfig } from '../events/config.ts';
import { exploreMode } from './explore.ts';
import type { Mode } from './mode.ts';
import { sessionMode } from './session.ts';
import { singleShotMode } from './single-shot.ts';
import { taskMode } from './task.ts';

/** The mode of a configuration: without tools, the single-shot path (T9, T10). */
export function modeOf(config: Pick<RunConfig, 'mode' | 'agentic'>): Mode {
  return config.agentic ? modes[config.mode] : singleShotMode;
}

/** All modes. To add one, create a file and list it here. */
const modes: Readonly<Record<RunConfig['mode'], Mode>> = {
  task: taskMode,
  session: sessionMode,
  explore: exploreMode,
};
