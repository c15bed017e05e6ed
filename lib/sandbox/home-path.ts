import { posix, win32 } from 'node:path';

/**
 * Replaces a leading `~` by the home folder, as a shell does. Other paths, also `~ada`, are returned unchanged. Pure.
 *
 * @param home absolute path of the home folder
 */
export function expandHome(path: string, home: string, platform: NodeJS.Platform = process.platform): string {
  if (path === '~') return home;
  const { join } = platform === 'win32' ? win32 : posix;
  const rest = platform === 'win32' ? /^~[/\\]+(.*)$/s : /^~\/+(.*)$/s;
  const inside = rest.exec(path)?.[1];
  return inside === undefined ? path : join(home, inside);
}
