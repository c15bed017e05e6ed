import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../store/store.ts';
import { completedLog, sampleFile } from '../sample-logs.ts';
import { config } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeImages(subject: () => StoreUnderTest): void {
  describe('images of a run', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    const image = (hash: string, text: string) => ({ hash, type: 'png' as const, data: Buffer.from(text) });
    const first = image('a'.repeat(64), 'first\0bytes');
    const second = image('b'.repeat(64), 'second');
    const textOf = async (runId: string, { hash }: { hash: string }) => {
      const found = await store.image(runId, hash);
      return found && { type: found.type, text: Buffer.from(found.data).toString() };
    };

    it('are kept once, by their hash, for the run that has them', async () => {
      await store.create({ id: 'a', config, images: [first] });
      await store.create({ id: 'other', config });
      await store.keepImages('a', [second, first]);
      store = await subject().reopen();
      expect(await textOf('a', first)).toEqual({ type: 'png', text: 'first\0bytes' });
      expect(await textOf('a', second)).toEqual({ type: 'png', text: 'second' });
      expect(await store.imagesOf('a')).toEqual([
        { hash: first.hash, bytes: 11 },
        { hash: second.hash, bytes: 6 },
      ]);
      expect(await textOf('other', first)).toBeUndefined();
      expect(await store.imagesOf('other')).toEqual([]);
      await expect(store.keepImages('nobody', [first])).rejects.toMatchObject({ code: 'run_not_found' });
    });

    it('come along with a fork, and stay when the other run is deleted', async () => {
      const { runId } = await store.importRun(sampleFile(completedLog()));
      await store.keepImages(runId, [first]);
      await store.fork({ id: 'f', config, parent: { run_id: runId, seq: 1 }, events: [] });
      await store.deleteRun(runId);
      expect(await store.imagesOf(runId)).toEqual([]);
      expect(await textOf('f', first)).toEqual({ type: 'png', text: 'first\0bytes' });
    });

    it('come with a run from a file', async () => {
      async function* images() {
        yield first;
        yield second;
      }
      const { runId } = await store.importRun({ ...sampleFile(completedLog()), images: images() });
      expect((await store.imagesOf(runId)).map(({ hash }) => hash)).toEqual([first.hash, second.hash]);
    });
  });
}
