import { expect, it } from 'vitest';
import { withWorkspaceLock } from './workspace-lock.ts';

/** Acquires a workspace and reports whether it is held; `release` releases it. */
function take(workspace: string, signal?: AbortSignal) {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const taken = { has: false, release, over: Promise.resolve<true | undefined>(undefined) };
  taken.over = withWorkspaceLock(workspace, signal, async () => {
    taken.has = true;
    await held;
    return true as const;
  });
  return taken;
}

/** Lets every turn start that can start now. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

it('an aborted waiter does not let the next one in early [threat 5]', async () => {
  const first = take('/w/alone');
  const stop = new AbortController();
  const second = take('/w/alone', stop.signal);
  stop.abort();
  expect(await second.over).toBeUndefined();
  const third = take('/w/alone');
  await settle();
  expect([first.has, second.has, third.has]).toEqual([true, false, false]);
  first.release();
  await first.over;
  third.release();
  expect(await third.over).toBe(true);
});

it.each([
  ['/w/a', '/w/a/b'],
  ['/w/a/b/c', '/w/a'],
])('%s and %s count as one workspace [threat 1]', async (one, other) => {
  const first = take(one);
  const second = take(other);
  await settle();
  expect([first.has, second.has]).toEqual([true, false]);
  first.release();
  second.release();
  expect(await second.over).toBe(true);
});

it('sibling workspaces run concurrently, even if one name is a prefix of the other', async () => {
  const both = [take('/w/side'), take('/w/side-by')];
  await settle();
  expect(both.map(({ has }) => has)).toEqual([true, true]);
  for (const each of both) each.release();
  await Promise.all(both.map(({ over }) => over));
});
