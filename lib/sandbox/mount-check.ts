import { readFileSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { FOLDER_FD, SANDBOX_WORKSPACE } from './bubblewrap-args.ts';
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
 * The workspace is compared with its folder as it was opened, which the shell gets as `FOLDER_FD` and closes: no program
 * has to be started for that.
 *
 * @param paths what is mounted again inside the workspace, relative to it
 * @throws {AppError} `workspace_moved`
 */
export async function mountCheck(workspace: string, paths: readonly string[]): Promise<string[]> {
  const script = `
no() { echo '${OTHER_MOUNTS}' >&2; exit ${OTHER_MOUNTS_EXIT}; }
[ ${SANDBOX_WORKSPACE} -ef /proc/self/fd/${FOLDER_FD} ] || no
exec ${FOLDER_FD}<&-
${paths.length > 0 ? await innerCheck(workspace, paths) : ''}
unset PWD OLDPWD SHLVL
exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh'];
}

/** The right things are mounted inside the workspace, at the right places. With nothing to mount there, nothing can be wrong. */
async function innerCheck(workspace: string, paths: readonly string[]): Promise<string> {
  const identities: string[] = [];
  for (const path of paths) identities.push(await identity(workspace, path));
  const inside = paths.map((path) => `${SANDBOX_WORKSPACE}/${path}`);
  const points = [
    ...inside.map(escaped),
    ...hostMounts(workspace).map((path) => `${SANDBOX_WORKSPACE}/${path}`),
  ];
  return `[ "$(stat -c %d:%i -- ${inside.map(quoted).join(' ')})" = ${quoted(identities.join('\n'))} ] || no
while read -r _ _ _ _ point _; do
  case $point in ${SANDBOX_WORKSPACE}/*) case ${quoted(`\n${points.join('\n')}\n`)} in *"
$point
"*) ;; *) no;; esac;; esac
done < /proc/self/mountinfo`;
}

/** Device and number of what stands at a path in the workspace, as `stat` prints them. No link is followed to it. */
async function identity(workspace: string, path: string): Promise<string> {
  const steps = path.split('/');
  const name = steps.pop();
  const folder = await openCanonical([workspace, ...steps].join('/'));
  try {
    const { dev, ino } = await lstat(`/proc/self/fd/${folder.fd}/${name}`, { bigint: true });
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
