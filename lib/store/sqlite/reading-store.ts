import type { RunReader, RunStore } from '../run-store.ts';
import type { SqliteReader } from './sqlite-reader.ts';

type AppendListener = Parameters<RunStore['onAppend']>[0];

/** What both forms of the SQLite store do alike: they read, and tell who listens of what was appended. */
export abstract class ReadingStore implements RunReader {
  protected readonly reader: SqliteReader;
  readonly #listeners = new Set<AppendListener>();

  constructor(reader: SqliteReader) {
    this.reader = reader;
  }

  abstract search(...asked: Parameters<RunReader['search']>): ReturnType<RunReader['search']>;

  read(...asked: Parameters<RunReader['read']>): ReturnType<RunReader['read']> {
    return this.reader.read(...asked);
  }

  readOne(...asked: Parameters<RunReader['readOne']>): ReturnType<RunReader['readOne']> {
    return this.reader.readOne(...asked);
  }

  readTexts(...asked: Parameters<RunReader['readTexts']>): ReturnType<RunReader['readTexts']> {
    return this.reader.readTexts(...asked);
  }

  list(...asked: Parameters<RunReader['list']>): ReturnType<RunReader['list']> {
    return this.reader.list(...asked);
  }

  summary(runId: string): ReturnType<RunReader['summary']> {
    return this.reader.summary(runId);
  }

  unfinished(): ReturnType<RunReader['unfinished']> {
    return this.reader.unfinished();
  }

  forksOf(runId: string): ReturnType<RunReader['forksOf']> {
    return this.reader.forksOf(runId);
  }

  experiment(id: string): ReturnType<RunReader['experiment']> {
    return this.reader.experiment(id);
  }

  experiments(): ReturnType<RunReader['experiments']> {
    return this.reader.experiments();
  }

  unfinishedExperiments(): ReturnType<RunReader['unfinishedExperiments']> {
    return this.reader.unfinishedExperiments();
  }

  modelChecks(): ReturnType<RunReader['modelChecks']> {
    return this.reader.modelChecks();
  }

  modelCheck(...asked: Parameters<RunReader['modelCheck']>): ReturnType<RunReader['modelCheck']> {
    return this.reader.modelCheck(...asked);
  }

  shares(): ReturnType<RunReader['shares']> {
    return this.reader.shares();
  }

  shareByHash(tokenHash: string): ReturnType<RunReader['shareByHash']> {
    return this.reader.shareByHash(tokenHash);
  }

  readings(): ReturnType<RunReader['readings']> {
    return this.reader.readings();
  }

  onAppend(listener: AppendListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected tellAppended(runId: string, lastSeq: number): void {
    for (const listener of this.#listeners) {
      try {
        listener(runId, lastSeq);
      } catch (error) {
        console.error('A listener of the store failed:', error); // the append stands, whoever failed to hear of it
      }
    }
  }

  protected forgetListeners(): void {
    this.#listeners.clear();
  }
}
