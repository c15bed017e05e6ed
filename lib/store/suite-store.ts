import type { SuiteCase, SuiteRecord, SuiteVersion } from '../api/suite.ts';

/** Reads suites. */
export interface SuiteReader {
  /** All suites, oldest first. */
  suites(): Promise<SuiteRecord[]>;
  suite(id: string): Promise<SuiteRecord | undefined>;
  /** The versions of a suite, newest first. */
  suiteVersions(id: string): Promise<SuiteVersion[]>;
  /** The cases of a version. */
  suiteCases(id: string, hash: string): Promise<SuiteCase[] | undefined>;
}

/** The version that becomes a suite's current one. */
export interface SuiteChange {
  cases: readonly SuiteCase[];
  /** The hash of the version that was changed. Missing for a new suite. */
  base?: string;
}

/** `changed`: `base` is no longer the current version. `name_taken`: it is, but another suite has the name (`nameKey`). */
export type SavedSuite = 'saved' | 'name_taken' | 'changed';

/** Stores named lists of cases with their versions. */
export interface SuiteStore extends SuiteReader {
  /**
   * Stores a suite and its current version, or nothing. An equal version is stored once; of the others, the newest
   * `MAX_SUITE_VERSIONS` are kept.
   */
  saveSuite(suite: SuiteRecord, change: SuiteChange): Promise<SavedSuite>;
  /** Deletes a suite with its versions. Returns whether it existed. */
  deleteSuite(id: string): Promise<boolean>;
}
