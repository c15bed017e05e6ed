import { expect, it } from 'vitest';
import { withWorkspaceLock } from './workspace-lock.ts';

/** Takes a workspace, and tells whether it has it; the returned function gives it back. */
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

/** Long enough for every turn that could be given now. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

it('threat 5: who gives up while it waits lets nobody in beside the one at work', async () => {
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
])('threat 1: %s and %s count as one workspace', async (one, other) => {
  const first = take(one);
  const second = take(other);
  await settle();
  expect([first.has, second.has]).toEqual([true, false]);
  first.release();
  second.release();
  expect(await second.over).toBe(true);
});

it('workspaces side by side are worked in at the same time, also where one name begins like the other', async () => {
  const both = [take('/w/side'), take('/w/side-by')];
  await settle();
  expect(both.map(({ has }) => has)).toEqual([true, true]);
  for (const each of both) each.release();
  await Promise.all(both.map(({ over }) => over));
});
