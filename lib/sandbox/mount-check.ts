import { readFileSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { FOLDER_FD } from './bubblewrap-args.ts';
import { openCanonical, workspaceMoved } from './folder-handle.ts';
import { escapedMountPoint, readMounts } from './mounts.ts';
import { SANDBOX_WORKSPACE } from './workspace-path.ts';

/** The only line on stderr if the check fails. */
export const OTHER_MOUNTS = 'The workspace changed while it was mounted.';
export const OTHER_MOUNTS_EXIT = 125;

/**
 * A shell script that runs its arguments as a command. Inside the sandbox, before the command starts, it verifies that
 * bwrap mounted exactly what was checked here.
 *
 * bwrap takes paths and follows links in them. Anyone who can write to the workspace at that moment (a command of another
 * server, or one in a parent or child folder) could replace a folder by a link, and bwrap would mount its target.
 *
 * The workspace is compared with its opened folder, which the shell receives as `FOLDER_FD` and closes; no extra program
 * has to be started for that.
 *
 * @param paths what is mounted again inside the workspace, relative to it
 * @throws {AppError} `workspace_moved`
 */
export async function mountCheck(workspace: string, paths: readonly string[]): Promise<string> {
  return `no() { echo '${OTHER_MOUNTS}' >&2; exit ${OTHER_MOUNTS_EXIT}; }
[ ${SANDBOX_WORKSPACE} -ef /proc/self/fd/${FOLDER_FD} ] || no
exec ${FOLDER_FD}<&-
${paths.length > 0 ? await innerCheck(workspace, paths) : ''}
unset PWD OLDPWD SHLVL
exec "$@"
`;
}

/**
 * The same for a server: every mounted folder must be the one that was checked here, by device and inode.
 *
 * @param mounts paths outside, walked without following links, and inside
 * @throws {AppError} `workspace_moved`
 */
export async function serverMountCheck(
  mounts: readonly { outside: string; inside: string }[],
): Promise<string> {
  const identities: string[] = [];
  for (const { outside } of mounts) identities.push(await identity('/', outside.replace(/^\/+/, '')));
  const paths = mounts.map(({ inside }) => quoted(inside)).join(' ');
  const compare =
    mounts.length > 0 ? `[ "$(stat -c %d:%i -- ${paths})" = ${quoted(identities.join('\n'))} ] || no\n` : '';
  return `no() { echo '${OTHER_MOUNTS}' >&2; exit ${OTHER_MOUNTS_EXIT}; }
exec ${FOLDER_FD}<&-
${compare}unset PWD OLDPWD SHLVL
exec "$@"
`;
}

/** Verifies the mounts inside the workspace and their mount points. Not needed without such mounts. */
async function innerCheck(workspace: string, paths: readonly string[]): Promise<string> {
  const identities: string[] = [];
  for (const path of paths) identities.push(await identity(workspace, path));
  const inside = paths.map((path) => `${SANDBOX_WORKSPACE}/${path}`);
  const points = [
    ...inside.map(escapedMountPoint),
    ...hostMounts(workspace).map((path) => `${SANDBOX_WORKSPACE}/${path}`),
  ];
  return `[ "$(stat -c %d:%i -- ${inside.map(quoted).join(' ')})" = ${quoted(identities.join('\n'))} ] || no
while read -r _ _ _ _ point _; do
  case $point in ${SANDBOX_WORKSPACE}/*) case ${quoted(`\n${points.join('\n')}\n`)} in *"
$point
"*) ;; *) no;; esac;; esac
done < /proc/self/mountinfo`;
}

/** Device and inode of a path in the workspace, formatted like `stat`. Follows no link. */
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

/** The host's own mounts inside the workspace, as relative paths; bwrap includes them. */
function hostMounts(workspace: string): string[] {
  const above = `${escapedMountPoint(workspace)}/`;
  return readMounts(readFileSync('/proc/self/mountinfo', 'utf8')).flatMap(({ point }) =>
    point.startsWith(above) ? [point.slice(above.length)] : [],
  );
}

/** Quotes a word for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
