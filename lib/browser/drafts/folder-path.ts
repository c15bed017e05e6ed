/** Whether a text is a whole path of a folder: from the root, a Windows drive, or the home folder (`~`). */
export function isWholePath(text: string): boolean {
  return /^(\/|~([/\\]|$)|[A-Za-z]:[\\/]|\\\\[^\\])/.test(text);
}

/**
 * The path in a text that was pasted or dropped: without quotes around it, with the spaces that a shell escapes, or from a
 * `file:` URL. Only the first line counts. Pure.
 */
export function pastedPath(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.trim() ?? '';
  const quoted = /^(["'])(.*)\1$/.exec(line)?.[2] ?? line;
  if (/^file:/i.test(quoted)) return pathOfUrl(quoted) ?? quoted;
  // On Windows a backslash separates folders.
  return /^[/~]/.test(quoted) ? quoted.replaceAll(/\\(?=[ ()'"&])/g, '') : quoted;
}

function pathOfUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'file:' || (url.hostname !== '' && url.hostname !== 'localhost')) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  } catch {
    return undefined; // not UTF-8
  }
}

/** The last name of a path: what people call the folder. */
export function folderName(path: string): string {
  return path.split(/[/\\]/).findLast((name) => name !== '') ?? path;
}

/**
 * The path in the folder dialog's field: the typed text; or a path that could not be listed, so that it can be
 * corrected; otherwise the listed folder. Pure.
 */
export function pathInField({
  typed,
  wanted,
  listed,
  failed,
}: {
  typed: string | undefined;
  /** The requested path; empty for the home folder. */
  wanted: string;
  /** The path of the last list, which may belong to an earlier folder. */
  listed: string | undefined;
  /** Whether the requested path could not be listed. */
  failed: boolean;
}): string {
  if (typed !== undefined) return typed;
  return failed && wanted !== '' ? wanted : (listed ?? wanted);
}
