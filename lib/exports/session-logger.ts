import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunEvent } from '../events/registry.ts';
import type { AppendRequest, RunStore } from '../store/run-store.ts';
import { SessionLogProjection } from './session-log.ts';

const PAGE = 500;

/**
 * Writes the log file of each session as it goes (S19), one JSON object per line, outside every workspace (S22, K-30). The
 * file is a projection of the run's log: after a crash it is written anew from there, so no line is ever missing or double.
 */
export class SessionLogger {
  readonly #folder: string;
  readonly #read: RunStore['read'];
  readonly #sessions = new Map<string, SessionLogProjection>();

  /** @param read brings the events of a run, for files that are begun or mended */
  constructor(folder: string, read: RunStore['read']) {
    this.#folder = folder;
    this.#read = read;
  }

  /** Where the log of a session lies. */
  pathOf(runId: string): string {
    return join(this.#folder, `${runId}.jsonl`);
  }

  /**
   * Takes events that were just stored. Resolves when their lines are handed to the operating system (E11). A file that
   * cannot be written is told of and disturbs no run: the log itself is whole.
   */
  async write(runId: string, events: readonly RunEvent[]): Promise<void> {
    try {
      const known = this.#sessions.get(runId);
      if (!known) return await this.#begin(runId);
      const lines = linesOf(known, events);
      if (lines !== '') await appendFile(this.pathOf(runId), lines, { mode: 0o600 });
    } catch (error) {
      this.#sessions.delete(runId); // written anew at the next event
      console.error(`The session log of run ${runId} could not be written:`, error);
    } finally {
      if (events.some(({ type }) => type === 'run.ended')) this.#sessions.delete(runId);
    }
  }

  /** Writes the file from the first event on. */
  async #begin(runId: string): Promise<void> {
    const projection = new SessionLogProjection();
    let lines = '';
    for (let afterSeq = 0; ; ) {
      const page = await this.#read(runId, { afterSeq, limit: PAGE });
      lines += linesOf(projection, page);
      afterSeq += page.length;
      if (page.length < PAGE || !projection.ofSession) break;
    }
    if (projection.ofSession) {
      const path = this.pathOf(runId);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if (lines !== '') {
        await writeFile(`${path}.new`, lines, { mode: 0o600 });
        await rename(`${path}.new`, path);
      }
    }
    this.#sessions.set(runId, projection);
  }
}

function linesOf(projection: SessionLogProjection, events: readonly RunEvent[]): string {
  const entries = events.flatMap((event) => projection.take(event));
  if (!projection.ofSession) return '';
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** The store, with the log files of sessions written before an append is over. */
export function withSessionLogs(store: RunStore, logger: SessionLogger): RunStore {
  return {
    create: (run) => store.create(run),
    claim: (runId, worker) => store.claim(runId, worker),
    async append(runId: string, request: AppendRequest) {
      const appended = await store.append(runId, request);
      await logger.write(runId, appended);
      return appended;
    },
    read: (runId, range) => store.read(runId, range),
    readOne: (runId, seq) => store.readOne(runId, seq),
    list: (page) => store.list(page),
    summary: (runId) => store.summary(runId),
    unfinished: () => store.unfinished(),
    readings: () => store.readings(),
    saveExperiment: (summary, items) => store.saveExperiment(summary, items),
    experiment: (id) => store.experiment(id),
    experiments: () => store.experiments(),
    beginRecovery: (runId) => store.beginRecovery(runId),
    settleRecovery: (runId) => store.settleRecovery(runId),
    onAppend: (listener) => store.onAppend(listener),
    close: () => store.close(),
  };
}
