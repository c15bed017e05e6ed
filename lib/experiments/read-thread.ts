import { parentPort } from 'node:worker_threads';
import { AppError, errorParts } from '../errors/app-error.ts';
import { readQuestionnaire } from '../ratings/read-questionnaire.ts';
import { acceptedSuite, readSuiteFile, readSuiteValue } from '../suites/read-suite.ts';
import { READY } from '../util/ask-thread.ts';
import { readPlanFile } from './plan-file.ts';
import type { ReadResult, ToRead } from './read-in-thread.ts';

// The worker thread of `readSuiteInThread` and its siblings.

parentPort?.on('message', (job: ToRead) => {
  parentPort?.postMessage(resultOf(job));
});
parentPort?.postMessage(READY);

function resultOf(job: ToRead): ReadResult<unknown> {
  try {
    return { content: read(job) };
  } catch (error) {
    if (error instanceof AppError) return { refused: errorParts(error) };
    throw error;
  }
}

function read(job: ToRead): unknown {
  if ('suite' in job) return acceptedSuite(readSuiteFile(job.suite));
  if ('suiteJson' in job) return acceptedSuite(readSuiteValue(JSON.parse(job.suiteJson).value));
  return 'plan' in job ? readPlanFile(job.plan) : readQuestionnaire(job.questionnaire);
}
