import type { Questionnaire } from '../api/rating.ts';
import type { Suite } from '../api/suite.ts';
import { AppError, type errorParts } from '../errors/app-error.ts';
import { readQuestionnaire } from '../ratings/read-questionnaire.ts';
import { acceptedSuite, readSuiteFile, readSuiteValue, type SuiteFile } from '../suites/read-suite.ts';
import { askThread } from '../util/ask-thread.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import { type PlanFile, readPlanFile } from './plan-file.ts';

/** A file for the thread, or a suite as JSON. */
export type ToRead =
  | { suite: SuiteFile }
  | { suiteJson: string }
  | { plan: string }
  | { questionnaire: string };

/** The answer of the thread. */
export type ReadResult<Content> = { content: Content } | { refused: ReturnType<typeof errorParts> };

interface ThreadLimits {
  /** Texts up to this length are read by the caller, in less time than a thread takes to start. */
  maxCallerChars: number;
  maxMs: number;
  maxMemoryMb: number;
}

/** A suite of 5000 cases takes up to 5 s and 300 MB, longer on a busy machine. */
const LIMITS: ThreadLimits = { maxCallerChars: 20_000, maxMs: 60_000, maxMemoryMb: 512 };

/** One thread at a time, as each may need much memory. */
const turns = new OneAtATime();

/** @throws {AppError} `invalid_request` with the place of each problem, or if reading takes too much time or memory */
export function readSuiteInThread(file: SuiteFile, limits?: Partial<ThreadLimits>): Promise<Suite> {
  return read({
    job: { suite: file },
    chars: file.text.length,
    inCaller: () => acceptedSuite(readSuiteFile(file)),
    limits,
  });
}

/** Checks a suite that is not a file. @throws {AppError} as `readSuiteInThread` */
export async function checkSuiteInThread(value: unknown): Promise<Suite> {
  const suiteJson = JSON.stringify({ value });
  return read({
    job: { suiteJson },
    chars: suiteJson.length,
    inCaller: () => acceptedSuite(readSuiteValue(value)),
  });
}

/** @throws {AppError} as `readSuiteInThread` */
export function readPlanInThread(text: string): Promise<PlanFile> {
  return read({ job: { plan: text }, chars: text.length, inCaller: () => readPlanFile(text) });
}

/** @throws {AppError} as `readSuiteInThread` */
export function readQuestionnaireInThread(text: string): Promise<Questionnaire> {
  return read({ job: { questionnaire: text }, chars: text.length, inCaller: () => readQuestionnaire(text) });
}

async function read<Content>({
  job,
  chars,
  inCaller,
  limits,
}: {
  job: ToRead;
  chars: number;
  inCaller: () => Content;
  limits?: Partial<ThreadLimits> | undefined;
}): Promise<Content> {
  const { maxCallerChars, maxMs, maxMemoryMb } = { ...LIMITS, ...limits };
  if (chars <= maxCallerChars) return inCaller();
  const module = new URL('./read-thread.ts', import.meta.url);
  const { signal } = new AbortController();
  let result: ReadResult<Content> | undefined;
  try {
    result = await turns.run(() =>
      askThread<ReadResult<Content>>(module, job, { signal, maxMs, maxMemoryMb }),
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'))
      throw error;
    throw tooCostly(`more than ${maxMemoryMb} MB of memory`, error);
  }
  if (!result) throw tooCostly(`more than ${maxMs / 1000} s`);
  if ('refused' in result) throw new AppError(result.refused);
  return result.content;
}

function tooCostly(cost: string, cause?: unknown): AppError {
  return new AppError({
    code: 'invalid_request',
    message: `Reading this file takes ${cost}.`,
    hint: 'It has too many values. Split it into smaller files.',
    cause,
  });
}
