import type { CallPattern } from '../state/repeated-calls.ts';
import { formatCount } from './format.ts';

/** Max names of tools; an iteration can call many. */
const MAX_TOOLS = 8;

/** `The last 6 iterations with calls repeat the same 2: write_file, run_command.` */
export function patternWords({ tools, length, times }: CallPattern): string {
  const names = tools.slice(0, MAX_TOOLS).join(', ');
  const more = tools.length > MAX_TOOLS ? ', …' : '';
  return `The last ${formatCount(length * times)} iterations with calls repeat the same ${length}: ${names}${more}.`;
}
