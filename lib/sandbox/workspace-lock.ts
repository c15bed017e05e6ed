import { sep } from 'node:path';

// Next instantiates modules twice in one process; both must share the locks.
const key = Symbol.for('loupe.sandbox.workspace-locks');
const holder = globalThis as typeof globalThis & { [key]?: Map<string, Promise<void>> };
holder[key] ??= new Map();
const locks = holder[key];

/**
 * Runs one action at a time per workspace, in order of arrival; nested workspaces count as one. No process of an earlier
 * command is alive while the next one's mounts are set up, so nothing can move files under them. Other servers on the
 * same folders are not covered; that is the purpose of `mountCheck`.
 *
 * @returns `undefined` if the signal aborted before the turn came; the action was not run
 */
export async function withWorkspaceLock<T>(
  workspace: string,
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T | undefined> {
  const earlier = [...locks].flatMap(([other, turn]) => (overlap(workspace, other) ? [turn] : []));
  const before = Promise.all(earlier).then(() => {});
  const { promise: done, resolve: release } = Promise.withResolvers<void>();
  // An aborted waiter still ends only after those before it, so that the next one keeps waiting for them.
  const mine = before.then(() => done);
  locks.set(workspace, mine);
  void mine.then(() => {
    if (locks.get(workspace) === mine) locks.delete(workspace);
  });
  try {
    await turnOrAbort(before, signal);
    if (signal?.aborted) return undefined;
    return await action();
  } finally {
    release();
  }
}

/** Whether two canonical paths are the same folder, or one contains the other. */
export function overlap(one: string, other: string): boolean {
  return `${one}${sep}`.startsWith(`${other}${sep}`) || `${other}${sep}`.startsWith(`${one}${sep}`);
}

async function turnOrAbort(turn: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return turn;
  if (signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const listener = () => resolve();
  signal.addEventListener('abort', listener, { once: true });
  try {
    await Promise.race([turn, aborted]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}
