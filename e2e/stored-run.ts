import type { NewEvent, RunEvent } from '../lib/events/registry.ts';
import { SqliteRunStore } from '../lib/store/sqlite/sqlite-store.ts';
import { appendTo } from '../lib/testing/append-to.ts';

/** Writes finished logs into a data directory, for a server that is started on it: runs that would take hours to make. */
export async function storeRuns(
  dataDir: string,
  logs: Readonly<Record<string, readonly RunEvent[]>>,
): Promise<void> {
  const store = SqliteRunStore.open(dataDir, { ballastMegabytes: 1 });
  for (const [id, [created, ...rest]] of Object.entries(logs)) {
    if (created?.type !== 'run.created') throw new Error(`The log of ${id} does not begin with its run`);
    await store.create({ id, config: created.config });
    const { epoch } = await store.claim(id, 'stories');
    await appendTo(store, id, { epoch, expectedSeq: 1, events: rest.map(withoutEnvelope) });
  }
  await store.close();
}

/** An event as it is appended, before the store assigns its sequence number. */
function withoutEnvelope({ run_id: _run, seq: _seq, at: _at, ...event }: RunEvent): NewEvent {
  return event;
}
