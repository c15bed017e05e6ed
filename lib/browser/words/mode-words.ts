import type { RunConfig } from '../../events/config.ts';
import { MODES, QUICK_PROMPT } from '../../events/modes.ts';

type Named = Pick<RunConfig, 'mode' | 'agentic' | 'task' | 'title'>;

/** The label of a run's mode. */
export function modeWords({ mode, agentic }: { mode: RunConfig['mode']; agentic: boolean }): string {
  return agentic ? MODES[mode].label : QUICK_PROMPT.label;
}

/** The name of an iteration in a mode. */
export function stepWord(mode: RunConfig['mode'] | undefined): string {
  return MODES[mode ?? 'task'].step;
}

/** The heading of a run: its title, the first line of its task, or its mode. */
export function runTitle(config: Named | undefined): string {
  if (!config) return '';
  const [line = ''] = (config.title ?? config.task).trim().split('\n', 1);
  return line === '' ? modeWords(config) : line;
}
