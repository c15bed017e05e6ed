import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { NewEvent } from '../lib/events/registry.ts';
import { SqliteRunStore } from '../lib/store/sqlite/sqlite-store.ts';
import { appendTo } from '../lib/testing/append-to.ts';
import { sampleConfig } from '../lib/testing/sample-logs.ts';

const HOUR_MS = 3_600_000;
const TASKS = [
  'Read the reports in this folder and write a summary to summary.md',
  'Rename every function in utils.ts so that it says what it returns',
  'Find the cheapest train from Basel to Vienna in trains.csv',
  'Explain why the parser rejects nested tags',
  'Translate the release notes into German and keep the links',
];
const MODELS = ['qwen3:8b', 'llama3.1:8b-instruct-q4_K_M', 'mistral-small3.2:24b'];
const FOLDERS = ['/home/ada/projects/reports', '/home/ada/projects/loupe-plugin', undefined];
const ENDS = [
  { termination_reason: 'final_answer', status: 'completed', kind: 'answered' },
  { termination_reason: 'final_answer', status: 'completed', kind: 'answered_cut_off' },
  { termination_reason: 'stall', status: 'partial', kind: 'stall' },
  { termination_reason: 'error', status: 'failed', kind: 'error' },
] as const;

/**
 * Writes ended runs from several months into a data directory for a server: with tags, scores and folders, every tenth
 * a fork of the previous one.
 *
 * @returns their IDs, newest first
 */
export async function storeManyRuns(dataDir: string, count: number, now: number): Promise<string[]> {
  const store = SqliteRunStore.open(dataDir, { ballastMegabytes: 1 });
  const times = new Map<string, number>();
  for (let index = count - 1; index >= 0; index -= 1) {
    const id = `run-${String(index).padStart(5, '0')}`;
    const at = now - index * (index < 20 ? 3 : 9) * HOUR_MS;
    const folder = FOLDERS[index % FOLDERS.length];
    const config = sampleConfig({
      task: TASKS[index % TASKS.length] ?? '',
      model: MODELS[index % MODELS.length] ?? '',
      workspace: folder ?? `/data/workspaces/${id}`,
    });
    const parent = `run-${String(index + 1).padStart(5, '0')}`;
    if (index % 10 === 4 && times.has(parent)) {
      await store.fork({ id, config, parent: { run_id: parent, seq: 1 }, events: [], folder });
    } else {
      await store.create({ id, config, folder });
    }
    await end(store, id, index);
    times.set(id, at);
    if (index % 4 === 1) {
      const tags = index % 8 === 1 ? ['baseline', 'to check'] : ['to check'];
      await store.annotate([id], { tags, score: index % 11 });
    }
    if (index === 2) await store.annotate([id], { pinned: true, note: 'The answer to show in the talk.' });
  }
  await store.close();
  move(join(dataDir, 'loupe.db'), times);
  return [...times.keys()].reverse();
}

async function end(store: SqliteRunStore, id: string, index: number): Promise<void> {
  const { epoch, lastSeq } = await store.claim(id, 'stories');
  const { kind, ...end } = ENDS[[0, 0, 1, 0, 2, 0, 0, 3][index % 8] ?? 0] ?? ENDS[0];
  const events: NewEvent[] = [
    { type: 'run.started', worker: 'stories', epoch },
    {
      type: 'run.ended',
      result: {
        ...end,
        output: 'Done.',
        model_used: 'stored',
        tokens_in: 1200 + index * 31,
        tokens_out: 300 + index,
        error: end.status === 'failed' ? { code: 'model_http', message: 'Ollama failed.' } : null,
        iterations_used: 1 + (index % 9),
      },
      outcome: { kind },
      message: 'The run has ended.',
      evidence: [1],
      cost_usd: 0,
      tool_calls: index % 12,
      files_written: [],
    },
  ];
  await appendTo(store, id, { epoch, expectedSeq: lastSeq, events });
}

/** Gives runs the times at which they are supposed to have been made. */
function move(path: string, times: ReadonlyMap<string, number>): void {
  const database = new Database(path);
  const update = database.prepare(
    'update runs set created_at = @at, started_at = @at + 400, ended_at = @at + @took, updated_at = @at + @took, worked_ms = @took - 400 where id = @id',
  );
  database.transaction(() => {
    let index = 0;
    for (const [id, at] of times) {
      update.run({ id, at, took: 4000 + (index % 40) * 7300 });
      index += 1;
    }
  })();
  database.close();
}
