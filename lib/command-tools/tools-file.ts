import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandToolsFile } from '../api/command-tool.ts';
import { replaceFile } from '../config/replace-file.ts';
import { AppError } from '../errors/app-error.ts';
import { type CommandTool, MAX_COMMAND_TOOLS } from '../events/command-tool.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { isRecord } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';

/** A file edited by hand can have any size. */
const MAX_FILE_CHARS = 2_000_000;

/**
 * The custom tools, in a file of the data directory that only its owner can read. It is read for each use, so that edits
 * by hand count.
 */
export class CommandToolsFile {
  readonly path: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'tools.json');
  }

  /** @throws {AppError} `command_tools_unreadable` with the place and the reason */
  async read(): Promise<CommandTool[]> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (cause) {
      if (errno(cause) === 'ENOENT') return [];
      throw this.#unreadable(errorMessage(cause), cause);
    }
    const read = readCommandTools(text);
    if ('problem' in read) throw this.#unreadable(read.problem);
    return read.tools;
  }

  /** Replaces the file. @throws {AppError} `storage_full` */
  async write(tools: readonly CommandTool[]): Promise<void> {
    const entries = tools.map(({ name, ...fields }) => [name, fields]);
    await replaceFile(this.path, `${JSON.stringify({ tools: Object.fromEntries(entries) }, null, 2)}\n`);
  }

  #unreadable(why: string, cause?: unknown): AppError {
    return new AppError({
      code: 'command_tools_unreadable',
      message: `${this.path} cannot be used: ${why}`,
      hint: 'Correct the file, or move it away to continue without custom tools. docs/tools.md describes it.',
      cause,
    });
  }
}

/** Reads the text of the file: the tools, or the problems with their places. Pure. */
export function readCommandTools(text: string): { tools: CommandTool[] } | { problem: string } {
  if (text.length > MAX_FILE_CHARS)
    return { problem: `It has more than ${formatCount(MAX_FILE_CHARS)} characters.` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${errorMessage(error)}` };
  }
  // Describing what is wrong with 100,000 entries would take seconds.
  if (isRecord(value) && isRecord(value.tools) && Object.keys(value.tools).length > MAX_COMMAND_TOOLS)
    return { problem: `It has more than ${MAX_COMMAND_TOOLS} tools.` };
  const parsed = commandToolsFile.safeParse(value, IN_WORDS);
  if (!parsed.success) return { problem: describeFieldProblems(parsed.error.issues, 'file').join(' ') };
  return { tools: Object.entries(parsed.data.tools).map(([name, fields]) => ({ ...fields, name })) };
}
