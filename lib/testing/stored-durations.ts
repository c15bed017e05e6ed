import type { Store } from '../store/store.ts';
import { approvalLog, completedLog, repairedLog, SampleLog, sampleFile } from './sample-logs.ts';

const HOUR_MS = 3_600_000;
const spent = { type: 'budget.checked', tokens_used: 0 } as const;
const asleep = { type: 'message.awaited', iteration: 1, cause: 'text' } as const;
const message = { type: 'operator.messaged', message_id: 'm1', text: 'Go on.' } as const;
const down = { code: 'ollama_unreachable', message: 'Nothing answers.' };

/** Logs that wait for everything that a run can wait for, by the ID of their run. */
function waitingLogs(): Record<string, SampleLog> {
  const session = new SampleLog({
    runId: 'session',
    config: { mode: 'session', autopilot: false },
  }).prepare();
  session.push({ ...spent, iteration: 1, seconds_used: 1.5 }, 400).round({ text: 'Hello.' });
  session.push(asleep, 30).push(message, HOUR_MS);
  session
    .push({ type: 'run.resumed', worker: 'w', epoch: 2, after_wait: true }, 9000)
    .round({ text: 'Yes.' });
  session.push(asleep, 40);

  const server = new SampleLog({ runId: 'server' }).prepare().iteration();
  server.push({ type: 'server-wait.started', error: down, limit_ms: HOUR_MS }, 20);
  server.push({ type: 'server-wait.ended', outcome: 'back', waited_ms: 60_000 }, 60_000);
  server.push({ type: 'model.load-started', model: 'm', num_ctx: 4096, waited_ms: 700 }, 1000);
  server.push({ type: 'model.loaded', already_loaded: true, load_ms: 0, context_tokens: 4096 }, 50);

  const checked = new SampleLog({ runId: 'checked' }).prepare();
  checked.push({ ...spent, iteration: 1, seconds_used: 2.25 }, HOUR_MS).round({ text: 'Late.' });
  return {
    session,
    server,
    checked,
    approval: approvalLog({ runId: 'approval' }),
    completed: completedLog({ runId: 'completed' }),
    resumed: repairedLog({ runId: 'resumed' }),
  };
}

/** Stores runs with waits of all kinds, for tests of migrations. Returns their durations (`durationsOf`). */
export async function storeDurations(store: Store): Promise<Record<string, number | undefined>> {
  for (const log of Object.values(waitingLogs())) await store.importRun(sampleFile(log));
  return durationsOf(store);
}

/** The durations of the runs of `storeDurations`, by their IDs. */
export async function durationsOf(store: Store): Promise<Record<string, number | undefined>> {
  const found: Record<string, number | undefined> = {};
  for (const id of Object.keys(waitingLogs())) found[id] = (await store.summary(id))?.worked_ms;
  return found;
}
