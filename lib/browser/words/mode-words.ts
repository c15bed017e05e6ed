import type { RunConfig } from '../../events/config.ts';
import { MODES, QUICK_PROMPT } from '../../events/modes.ts';

type Named = Pick<RunConfig, 'mode' | 'agentic' | 'task' | 'title'>;

/** What kind of run it is, in a word or two. */
export function modeWords({ mode, agentic }: { mode: RunConfig['mode']; agentic: boolean }): string {
  return agentic ? MODES[mode].label : QUICK_PROMPT.label;
}

/** What an iteration is called in a mode: one reply of the model and what it asked for. */
export function stepWord(mode: RunConfig['mode'] | undefined): string {
  return MODES[mode ?? 'task'].step;
}

/** The heading of a run: its title, else the first line of its task, else what kind of run it is. */
export function runTitle(config: Named | undefined): string {
  if (!config) return '';
  const [line = ''] = (config.title ?? config.task).trim().split('\n', 1);
  return line === '' ? modeWords(config) : line;
}
