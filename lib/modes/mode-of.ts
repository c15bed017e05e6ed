import type { RunConfig } from '../events/config.ts';
import { exploreMode } from './explore.ts';
import { isAgentic } from './is-agentic.ts';
import type { Mode } from './mode.ts';
import { sessionMode } from './session.ts';
import { singleShotMode } from './single-shot.ts';
import { taskMode } from './task.ts';

/** The mode a configuration asks for. */
export function modeOf(config: Pick<RunConfig, 'mode' | 'agentic'>): Mode {
  return isAgentic({ _agentic: config.agentic }) ? modes[config.mode] : singleShotMode;
}

/** Every mode there is; a new one is a file and a line here. */
const modes: Readonly<Record<RunConfig['mode'], Mode>> = {
  task: taskMode,
  session: sessionMode,
  explore: exploreMode,
};
