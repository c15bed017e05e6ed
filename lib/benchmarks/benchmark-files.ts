import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { CATEGORY_NAMES, type Category, hasAnswers } from '../api/benchmark-categories.ts';
import { AppError } from '../errors/app-error.ts';
import type { FunctionCase } from '../function-calling/function-case.ts';
import { CaseFileError, readCases, type SuiteFile } from '../function-calling/read-cases.ts';

/** The largest file of the leaderboard has 6 MB. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/**
 * Where the files may be relative to the entered folder: directly in it, in the package, or in the package's folder.
 */
const PLACES = ['', 'data', join('bfcl_eval', 'data')];
const ANSWERS_FOLDER = 'possible_answer';

/** The cases of some categories, and a hash of their files. */
export interface BenchmarkFiles {
  readonly folder: string;
  readonly cases: ReadonlyMap<Category, readonly FunctionCase[]>;
  readonly hash: string;
}

/**
 * Reads the leaderboard's files. Their names end with the category, after any version (`BFCL_v4_`).
 *
 * @param categories default: all in the folder
 * @throws {AppError} `invalid_request` for a folder without such files, a category that it lacks, or a file with errors
 */
export async function readBenchmarkFiles(
  named: string,
  categories?: readonly Category[],
): Promise<BenchmarkFiles> {
  const given = named.replace(/^~(?=\/|$)/, homedir());
  if (!isAbsolute(given)) throw refused(`The folder "${named}" must be an absolute path.`);
  const folder = await dataFolder(given);
  const cases = new Map<Category, FunctionCase[]>();
  const hash = createHash('sha256');
  for (const category of categories ?? CATEGORY_NAMES) {
    const questions = await readFileOf(folder, category);
    if (!questions) {
      if (categories) throw refused(`${folder} has no questions of the category "${category}".`);
      continue;
    }
    const answers = hasAnswers(category)
      ? await readFileOf(join(folder, ANSWERS_FOLDER), category)
      : undefined;
    if (hasAnswers(category) && !answers) {
      throw refused(`${join(folder, ANSWERS_FOLDER)} has no possible answers of the category "${category}".`);
    }
    for (const file of [questions, answers]) hash.update(`${category}\0${file?.text ?? ''}\0`);
    try {
      cases.set(category, readCases(category, { questions, answers }));
    } catch (error) {
      if (error instanceof CaseFileError) throw refused(error.message);
      throw error;
    }
  }
  return { folder, cases, hash: hash.digest('hex') };
}

async function dataFolder(given: string): Promise<string> {
  const isFolder = await stat(given).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw refused(`${given} is not a folder on this machine.`);
  for (const place of PLACES) {
    const folder = join(given, place);
    for (const category of CATEGORY_NAMES) if (await pathOf(folder, category)) return folder;
  }
  throw refused(`${given} has no files such as BFCL_v4_simple_python.json.`);
}

async function pathOf(folder: string, category: Category): Promise<string | undefined> {
  for (const version of ['v4', 'v3']) {
    const path = join(folder, `BFCL_${version}_${category}.json`);
    const exists = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (exists) return path;
  }
  return undefined;
}

async function readFileOf(folder: string, category: Category): Promise<SuiteFile | undefined> {
  const path = await pathOf(folder, category);
  if (path === undefined) return undefined;
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw refused(`${path} has more than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
    return { name: path, text: await file.readFile('utf8') };
  } finally {
    await file.close();
  }
}

function refused(message: string): AppError {
  return new AppError({
    code: 'invalid_request',
    message,
    hint: 'Name the folder of the Python package bfcl-eval, or its folder bfcl_eval/data: pip download bfcl-eval, then unzip the file.',
  });
}
