import type { EventOf } from '../../events/registry.ts';
import { formatBytes, plural } from './format.ts';

export type CopiedFiles = NonNullable<EventOf<'run.created'>['copied']>;

export function copiedWords({ files, bytes }: CopiedFiles): string {
  return `${plural(files, 'file')}, ${formatBytes(bytes)}`;
}

/** What was left out of a folder's copy; empty if nothing was. */
export function leftOutWords({ left_out: leftOut }: CopiedFiles): string {
  if (leftOut === 0) return '';
  return `${plural(leftOut, 'entry', 'entries')} left out: links, special files, unreadable entries and paths that are too long.`;
}
