import { afterEach, beforeEach, describe } from 'vitest';
import { describeAccess } from './store-contract/access.ts';
import { describeAnnotations } from './store-contract/annotations.ts';
import { describeExperiments } from './store-contract/experiments.ts';
import { describeForks } from './store-contract/forks.ts';
import { describeImages } from './store-contract/images.ts';
import { describeImports } from './store-contract/imports.ts';
import { describeLog } from './store-contract/log.ts';
import { describeModels } from './store-contract/models.ts';
import { describePresetsAndSuites } from './store-contract/presets-and-suites.ts';
import { describeRunList } from './store-contract/run-list.ts';
import { describeSearch } from './store-contract/search.ts';
import type { StoreUnderTest } from './store-contract/store-under-test.ts';

const SUBJECTS = [
  describeLog,
  describeRunList,
  describeImports,
  describeForks,
  describeImages,
  describeAnnotations,
  describeSearch,
  describeModels,
  describeAccess,
  describePresetsAndSuites,
  describeExperiments,
];

/** The contract of every `Store`. `open` creates a new, empty one. */
export function describeRunStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a run store`, () => {
    let subject: StoreUnderTest;

    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.dispose());

    for (const describeSubject of SUBJECTS) describeSubject(() => subject);
  });
}
