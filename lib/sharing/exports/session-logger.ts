import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { modeFacts, type RunMode } from '../../events/modes.ts';
import type { RunEvent } from '../../events/registry.ts';
import type { RunReader } from '../../store/run-store.ts';
import type { AppendObserver } from './append-observer.ts';
import { SessionLogProjection } from './session-log.ts';

const PAGE = 500;

/**
 * Writes the log file of each session as it goes (S19), one JSON object per line, outside every workspace (S22, K-30). The
 * file is a projection of the run's log: after a crash it is rewritten from there, so no line is ever missing or duplicated.
 */
export class SessionLogger implements AppendObserver {
  readonly #folder: string;
  readonly #read: RunReader['read'];
  /** The files that are up to date, and the last event of each. */
  readonly #sessions = new Map<string, { projection: SessionLogProjection; seq: number }>();

  /** @param read returns the events of a run, for files to be created or repaired */
  constructor(folder: string, read: RunReader['read']) {
    this.#folder = folder;
    this.#read = read;
  }

  /** The path of a session's log. */
  pathOf(runId: string): string {
    return join(this.#folder, `${runId}.jsonl`);
  }

  /**
   * Takes events that were just stored. Resolves when their lines are handed to the operating system (E11). A file that
   * cannot be written is reported and affects no run, because the log itself is complete.
   */
  async write(runId: string, events: readonly RunEvent[], mode: RunMode): Promise<void> {
    if (!modeFacts(mode).writesLogFile) return;
    try {
      const known = this.#sessions.get(runId);
      // Events appended by another process are missing in this process's file.
      if (!known || events[0]?.seq !== known.seq + 1) return await this.#begin(runId);
      known.seq += events.length;
      const lines = linesOf(known.projection, events);
      if (lines !== '') await appendFile(this.pathOf(runId), lines, { mode: 0o600 });
    } catch (error) {
      this.#sessions.delete(runId); // rewritten at the next event
      console.error(`The session log of run ${runId} could not be written:`, error);
    } finally {
      if (events.some(({ type }) => type === 'run.ended')) this.#sessions.delete(runId);
    }
  }

  /** Removes the file of a deleted run; other modes have none. */
  async remove(runId: string): Promise<void> {
    this.#sessions.delete(runId);
    await rm(this.pathOf(runId), { force: true });
  }

  /** Writes the file from the first event on. */
  async #begin(runId: string): Promise<void> {
    const projection = new SessionLogProjection();
    let lines = '';
    let afterSeq = 0;
    for (;;) {
      const page = await this.#read(runId, { afterSeq, limit: PAGE });
      lines += linesOf(projection, page);
      afterSeq += page.length;
      if (page.length < PAGE) break;
    }
    const path = this.pathOf(runId);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (lines !== '') {
      await writeFile(`${path}.new`, lines, { mode: 0o600 });
      await rename(`${path}.new`, path);
    }
    this.#sessions.set(runId, { projection, seq: afterSeq });
  }
}

function linesOf(projection: SessionLogProjection, events: readonly RunEvent[]): string {
  return events
    .flatMap((event) => projection.take(event))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');
}
