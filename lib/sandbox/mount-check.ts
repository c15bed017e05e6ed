import { readFileSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { SANDBOX_WORKSPACE } from './bubblewrap-args.ts';
import { openCanonical, workspaceMoved } from './folder-handle.ts';

/** What the check says, as the only line of stderr, when it finds something else than was meant. */
export const OTHER_MOUNTS = 'The workspace changed while it was mounted.';
export const OTHER_MOUNTS_EXIT = 125;

/**
 * Arguments to put before a command: inside the sandbox, before anything of the command runs, they make sure that what bwrap
 * mounted is what was looked at here, and nothing besides.
 *
 * bwrap takes paths and follows links in them. Who can write into the workspace at the same moment (a command of another
 * server, or one in a folder above or below) could swap a folder for a link in between, and would get whatever it
 * points to mounted.
 *
 * @param paths what is mounted again inside the workspace, relative to it
 * @throws {AppError} `workspace_moved`
 */
export async function mountCheck(workspace: string, paths: readonly string[]): Promise<string[]> {
  const identities = [await identity(workspace, '')];
  for (const path of paths) identities.push(await identity(workspace, path));
  const inside = ['', ...paths].map((path) =>
    path === '' ? SANDBOX_WORKSPACE : `${SANDBOX_WORKSPACE}/${path}`,
  );
  const points = [
    ...inside.map(escaped),
    ...hostMounts(workspace).map((path) => `${SANDBOX_WORKSPACE}/${path}`),
  ];
  const script = `
no() { echo '${OTHER_MOUNTS}' >&2; exit ${OTHER_MOUNTS_EXIT}; }
[ "$(stat -c %d:%i -- ${inside.map(quoted).join(' ')})" = ${quoted(identities.join('\n'))} ] || no
while read -r _ _ _ _ point _; do
  case $point in ${SANDBOX_WORKSPACE}/*) case ${quoted(`\n${points.join('\n')}\n`)} in *"
$point
"*) ;; *) no;; esac;; esac
done < /proc/self/mountinfo
unset PWD OLDPWD SHLVL
exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh'];
}

/** Device and number of what stands at a path in the workspace, as `stat` prints them. No link is followed to it. */
async function identity(workspace: string, path: string): Promise<string> {
  const steps = path.split('/');
  const name = path === '' ? undefined : steps.pop();
  const folder = await openCanonical(path === '' ? workspace : [workspace, ...steps].join('/'));
  try {
    const at = `/proc/self/fd/${folder.fd}`;
    const { dev, ino } =
      name === undefined
        ? await folder.stat({ bigint: true })
        : await lstat(`${at}/${name}`, { bigint: true });
    return `${dev}:${ino}`;
  } catch (cause) {
    throw workspaceMoved(`${workspace}/${path}`, cause);
  } finally {
    await folder.close();
  }
}

/** What the machine itself has mounted inside the workspace, relative to it: bwrap takes that along. */
function hostMounts(workspace: string): string[] {
  const above = `${escaped(workspace)}/`;
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const point = line.split(' ')[4];
      return point?.startsWith(above) ? [point.slice(above.length)] : [];
    });
}

/** A path as the kernel writes it into lists of mounts. */
function escaped(path: string): string {
  return path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** A word of the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
