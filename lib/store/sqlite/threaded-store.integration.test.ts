import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { describeRunStore } from '../../testing/store-contract.ts';
import { SqliteRunStore } from './sqlite-store.ts';
import { ThreadedRunStore } from './threaded-store.ts';

const small = { ballastMegabytes: 1 };

describeRunStore('SQLite in a separate thread', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'loupe-threaded-'));
  const subject = {
    store: await ThreadedRunStore.open(directory, small),
    async reopen() {
      await subject.store.close();
      subject.store = await ThreadedRunStore.open(directory, small);
      return subject.store;
    },
    async dispose() {
      await subject.store.close();
      rmSync(directory, { recursive: true });
    },
    imports: () => subject.store,
  };
  return subject;
});

it('reports why it cannot be opened, like the store itself', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'loupe-threaded-'));
  const store = SqliteRunStore.open(directory, small);
  store.announce({ pid: 4711, url: 'http://127.0.0.1:4120' });
  await expect(ThreadedRunStore.open(directory, small)).rejects.toMatchObject({
    code: 'already_running',
    holder: { pid: 4711, url: 'http://127.0.0.1:4120' },
    hint: expect.stringContaining('LOUPE_DATA_DIR'),
  });
  await store.close();
  rmSync(directory, { recursive: true });
});

it('rejects all calls once it is closed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'loupe-threaded-'));
  const store = await ThreadedRunStore.open(directory, small);
  await store.create({ id: 'a', config: sampleConfig() });
  await store.close();
  await store.close();
  await expect(store.claim('a', 'worker')).rejects.toMatchObject({ code: 'store_lost' });
  rmSync(directory, { recursive: true });
});
