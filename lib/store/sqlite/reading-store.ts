import type { StoreReader } from '../store.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/** The reads shared by both forms of the SQLite store. */
export abstract class ReadingStore implements StoreReader {
  protected readonly reader: SqliteReader;

  constructor(reader: SqliteReader) {
    this.reader = reader;
  }

  abstract search(...asked: Parameters<StoreReader['search']>): ReturnType<StoreReader['search']>;

  read(...asked: Parameters<StoreReader['read']>): ReturnType<StoreReader['read']> {
    return this.reader.read(...asked);
  }

  readOne(...asked: Parameters<StoreReader['readOne']>): ReturnType<StoreReader['readOne']> {
    return this.reader.readOne(...asked);
  }

  readTexts(...asked: Parameters<StoreReader['readTexts']>): ReturnType<StoreReader['readTexts']> {
    return this.reader.readTexts(...asked);
  }

  list(...asked: Parameters<StoreReader['list']>): ReturnType<StoreReader['list']> {
    return this.reader.list(...asked);
  }

  summary(runId: string): ReturnType<StoreReader['summary']> {
    return this.reader.summary(runId);
  }

  unfinished(): ReturnType<StoreReader['unfinished']> {
    return this.reader.unfinished();
  }

  usedFolders(...asked: Parameters<StoreReader['usedFolders']>): ReturnType<StoreReader['usedFolders']> {
    return this.reader.usedFolders(...asked);
  }

  forksOf(runId: string): ReturnType<StoreReader['forksOf']> {
    return this.reader.forksOf(runId);
  }

  image(...asked: Parameters<StoreReader['image']>): ReturnType<StoreReader['image']> {
    return this.reader.image(...asked);
  }

  imagesOf(runId: string): ReturnType<StoreReader['imagesOf']> {
    return this.reader.imagesOf(runId);
  }

  extras(runId: string): ReturnType<StoreReader['extras']> {
    return this.reader.extras(runId);
  }

  families(...asked: Parameters<StoreReader['families']>): ReturnType<StoreReader['families']> {
    return this.reader.families(...asked);
  }

  facets(): ReturnType<StoreReader['facets']> {
    return this.reader.facets();
  }

  experiment(id: string): ReturnType<StoreReader['experiment']> {
    return this.reader.experiment(id);
  }

  experimentSummary(id: string): ReturnType<StoreReader['experimentSummary']> {
    return this.reader.experimentSummary(id);
  }

  experimentNotes(id: string): ReturnType<StoreReader['experimentNotes']> {
    return this.reader.experimentNotes(id);
  }

  experimentRuns(id: string): Promise<string[]> {
    return this.reader.experimentRuns(id);
  }

  experimentCases(id: string): ReturnType<StoreReader['experimentCases']> {
    return this.reader.experimentCases(id);
  }

  experimentOfKey(key: string): ReturnType<StoreReader['experimentOfKey']> {
    return this.reader.experimentOfKey(key);
  }

  experiments(): ReturnType<StoreReader['experiments']> {
    return this.reader.experiments();
  }

  unfinishedExperiments(): ReturnType<StoreReader['unfinishedExperiments']> {
    return this.reader.unfinishedExperiments();
  }

  modelChecks(): ReturnType<StoreReader['modelChecks']> {
    return this.reader.modelChecks();
  }

  checkHistory(...asked: Parameters<StoreReader['checkHistory']>): ReturnType<StoreReader['checkHistory']> {
    return this.reader.checkHistory(...asked);
  }

  modelCheck(...asked: Parameters<StoreReader['modelCheck']>): ReturnType<StoreReader['modelCheck']> {
    return this.reader.modelCheck(...asked);
  }

  prices(): ReturnType<StoreReader['prices']> {
    return this.reader.prices();
  }

  presets(): ReturnType<StoreReader['presets']> {
    return this.reader.presets();
  }

  suites(): ReturnType<StoreReader['suites']> {
    return this.reader.suites();
  }

  suite(...asked: Parameters<StoreReader['suite']>): ReturnType<StoreReader['suite']> {
    return this.reader.suite(...asked);
  }

  suiteVersions(
    ...asked: Parameters<StoreReader['suiteVersions']>
  ): ReturnType<StoreReader['suiteVersions']> {
    return this.reader.suiteVersions(...asked);
  }

  suiteCases(...asked: Parameters<StoreReader['suiteCases']>): ReturnType<StoreReader['suiteCases']> {
    return this.reader.suiteCases(...asked);
  }

  shares(): ReturnType<StoreReader['shares']> {
    return this.reader.shares();
  }

  shareByHash(tokenHash: string): ReturnType<StoreReader['shareByHash']> {
    return this.reader.shareByHash(tokenHash);
  }

  signIns(): ReturnType<StoreReader['signIns']> {
    return this.reader.signIns();
  }

  signInByHash(cookieHash: string): ReturnType<StoreReader['signInByHash']> {
    return this.reader.signInByHash(cookieHash);
  }

  standingApprovals(): ReturnType<StoreReader['standingApprovals']> {
    return this.reader.standingApprovals();
  }

  standingApproval(
    ...asked: Parameters<StoreReader['standingApproval']>
  ): ReturnType<StoreReader['standingApproval']> {
    return this.reader.standingApproval(...asked);
  }

  readings(): ReturnType<StoreReader['readings']> {
    return this.reader.readings();
  }

  benchmarks(): ReturnType<StoreReader['benchmarks']> {
    return this.reader.benchmarks();
  }

  benchmark(...asked: Parameters<StoreReader['benchmark']>): ReturnType<StoreReader['benchmark']> {
    return this.reader.benchmark(...asked);
  }

  benchmarkOfKey(key: string): ReturnType<StoreReader['benchmarkOfKey']> {
    return this.reader.benchmarkOfKey(key);
  }

  benchmarkResults(
    ...asked: Parameters<StoreReader['benchmarkResults']>
  ): ReturnType<StoreReader['benchmarkResults']> {
    return this.reader.benchmarkResults(...asked);
  }

  benchmarkCase(
    ...asked: Parameters<StoreReader['benchmarkCase']>
  ): ReturnType<StoreReader['benchmarkCase']> {
    return this.reader.benchmarkCase(...asked);
  }
}
