import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { AppError } from '../errors/app-error.ts';
import { environment } from './environment.ts';
import type { HostSystem } from './host-system.ts';

/** The user of a command, and the arguments that switch to it. */
export interface CommandUser {
  prefix: readonly string[];
  uid: number;
  gid: number;
}

const tried = new Map<string, Promise<boolean>>();

/**
 * The user that a command runs as. An ordinary server runs it as itself. A server that runs as root switches to the
 * workspace's owner, because process limits do not apply to root; a workspace owned by root is used by root without
 * capabilities, in a control group or at least counted by the watchdog.
 *
 * @throws {AppError} `sandbox_user` if it cannot switch to the owner, or the owner cannot reach the workspace
 */
export async function commandUser(workspace: string, host: HostSystem): Promise<CommandUser> {
  const self = process.getuid?.() ?? 0;
  if (self !== 0) return { prefix: [], uid: self, gid: process.getgid?.() ?? self };
  const { uid, gid } = await stat(workspace);
  if (uid === 0) return { prefix: [], uid: 0, gid: 0 };
  const prefix = host.setpriv && [host.setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
  if (prefix && (await reaches(prefix, workspace))) return { prefix, uid, gid };
  throw new AppError({
    code: 'sandbox_user',
    message: `Commands cannot run here: the server runs as root, and the workspace's owner (user ${uid}) cannot enter it.`,
    hint: 'Start Loupe as the owner of the workspace, or let that user enter every folder on the path to it.',
  });
}

/** Whether the user can enter and modify the folder; only a process of that user can tell for sure. */
function reaches([program = '', ...args]: readonly string[], workspace: string): Promise<boolean> {
  const key = [...args, workspace].join('\0');
  let answer = tried.get(key);
  if (!answer) {
    answer = new Promise((resolve) => {
      const script = ['/bin/sh', '-c', 'cd "$1" && test -w .', 'sh', workspace];
      execFile(program, [...args, ...script], { env: environment({}), cwd: '/' }, (error) =>
        resolve(error === null),
      );
    });
    tried.set(key, answer);
    // Only success is cached, because the user may fix the permissions.
    void answer.then((isReached) => isReached || tried.delete(key));
  }
  return answer;
}
