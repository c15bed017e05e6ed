import { experimentRequest } from '../api/experiment.ts';
import type { RunExtras } from '../api/run-summary.ts';
import type { Store } from '../store/store.ts';
import { sampleConfig } from './sample-logs.ts';

/** Stores forks of forks, runs of an experiment, and runs in folders of both kinds, for tests of migrations. */
export async function storeFamilies(store: Store): Promise<void> {
  const own = (id: string) => sampleConfig({ workspace: `/data/workspaces/${id}` });
  await store.create({
    id: 'a',
    config: sampleConfig({ task: 'Read \u0000 \ud800', workspace: '/home/me/project' }),
  });
  await store.create({ id: 'e1', config: own('e1') });
  const fork = (id: string, run_id: string) =>
    store.fork({ id, config: own(id), parent: { run_id, seq: 1 }, events: [] });
  await fork('a1', 'a');
  await fork('a11', 'a1');
  await fork('e11', 'e1');
  const plan = experimentRequest.parse({ name: 'Plan', models: ['m'] });
  await store.createExperiment({
    summary: {
      ...{ id: 'exp-1', name: 'Plan', mode: 'explore', status: 'finished', created_at: 1, updated_at: 1 },
      ...{ total: 1, done: 1, failed: 0, plan },
    },
    items: [{ position: 1, model: 'm', options: {}, repeat: 1, status: 'running', run_id: 'e1' }],
  });
}

export const FAMILIES_AND_FOLDERS: Record<string, RunExtras> = {
  a: { folder: '/home/me/project' },
  a1: { family: 'a' },
  a11: { family: 'a' },
  e1: { family: 'exp-1' },
  e11: { family: 'exp-1' },
};

/** The store's data about the runs of `storeFamilies`. */
export async function familiesAndFolders(store: Store): Promise<Record<string, RunExtras | undefined>> {
  const found: Record<string, RunExtras | undefined> = {};
  for (const id of Object.keys(FAMILIES_AND_FOLDERS)) found[id] = await store.extras(id);
  return found;
}
