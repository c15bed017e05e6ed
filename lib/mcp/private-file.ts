import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { replaceFile } from '../config/replace-file.ts';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';

/** A JSON file; `undefined` if there is none. @throws {AppError} `mcp_config_unreadable` */
export async function readPrivateFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (errno(cause) === 'ENOENT') return undefined;
    throw unreadable(path, errorMessage(cause), cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(path, `This is not JSON: ${errorMessage(cause)}`, cause);
  }
  const parsed = schema.safeParse(value, IN_WORDS);
  if (parsed.success) return parsed.data;
  throw unreadable(path, describeFieldProblems(parsed.error.issues, 'file').join(' '), parsed.error);
}

/** An entry of a file whose other entries can be used. */
export function unreadableEntry(path: string, issues: readonly z.core.$ZodIssue[]): AppError {
  return new AppError({
    code: 'mcp_config_unreadable',
    message: `${path} cannot be read in full: ${describeFieldProblems(issues, 'file').join(' ')}`,
    hint: 'Correct the file. Its other entries can be used.',
  });
}

/** Replaces a file that only its owner can read. @throws {AppError} `storage_full` */
export async function writePrivateFile(path: string, value: unknown): Promise<void> {
  await replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

function unreadable(path: string, why: string, cause: unknown): AppError {
  return new AppError({
    code: 'mcp_config_unreadable',
    message: `${path} cannot be read: ${why}`,
    hint: 'Correct the file, or move it away to start without what it holds.',
    cause,
  });
}
