import { afterEach, expect, it, vi } from 'vitest';
import { deleteRuns, deletions, undoDeletion } from './deletions.ts';

afterEach(() => vi.unstubAllGlobals());

it('what was deleted while an earlier deletion is undone can still be restored', async () => {
  const restored = Promise.withResolvers<Response>();
  vi.stubGlobal('fetch', (path: string, { body }: { body: string }) =>
    path === '/api/selection/restore'
      ? restored.promise
      : Promise.resolve(Response.json({ deleted: JSON.parse(body).runs, undo_until: 1 })),
  );
  await deleteRuns(['a']);
  const first = deletions.getState().last;
  if (!first) throw new Error('nothing to undo');
  const undone = undoDeletion(first);
  await deleteRuns(['b']);
  restored.resolve(Response.json({ restored: ['a'] }));
  await undone;
  expect(deletions.getState().last?.runs).toEqual(['b']);
});
