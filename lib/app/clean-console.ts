import { inspect } from 'node:util';
import { escapeControls } from '../util/escape-controls.ts';

const METHODS = ['log', 'info', 'warn', 'error'] as const;

/**
 * Makes the console print each message on one line without terminal control characters, because messages contain names,
 * paths and errors from outside. Stack frames keep their own lines.
 */
export function cleanConsole(target: Pick<Console, (typeof METHODS)[number]> = console): void {
  for (const method of METHODS) {
    const print = target[method].bind(target);
    target[method] = (...parts: unknown[]) => print('%s', parts.map(shown).join(' '));
  }
}

function shown(part: unknown): string {
  if (typeof part === 'string') return escapeControls(part);
  if (!(part instanceof Error))
    return escapeControls(inspect(part, { breakLength: Number.POSITIVE_INFINITY }));
  const frames = (part.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  const cause = part.cause === undefined ? '' : ` (cause: ${shown(part.cause)})`;
  return [escapeControls(`${part.name}: ${part.message}`) + cause, ...frames.map(escapeControls)].join('\n');
}
