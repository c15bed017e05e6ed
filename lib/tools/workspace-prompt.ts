import { AppError } from '../errors/app-error.ts';
import { readWhole } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';

/** The file with a workspace's session prompt (S5). */
const SYSTEM_PROMPT_FILE = 'SYSTEM_PROMPT.md';

const MAX_BYTES = 100_000;

/**
 * The text of SYSTEM_PROMPT.md, read with the same path checks as every workspace file: links to the outside are
 * refused.
 *
 * @param workspace from `openWorkspace`
 * @returns `undefined` if the file does not exist
 * @throws {AppError} `system_prompt_unusable` if the file exists but cannot be used
 */
export async function readWorkspacePrompt(workspace: string): Promise<string | undefined> {
  try {
    const { sizeBytes, data } = await readWhole(workspace, workspaceSteps(SYSTEM_PROMPT_FILE), MAX_BYTES);
    if (!data) throw unusable(`has ${sizeBytes} bytes, and at most ${MAX_BYTES} fit`);
    const text = data.toString('utf8');
    if (text.includes('\0')) throw unusable('is not a text file');
    return text;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'system_prompt_unusable') throw error;
    if (error.code === 'not_found') return undefined;
    throw unusable(`cannot be read: ${error.message}`, error);
  }
}

function unusable(why: string, cause?: unknown): AppError {
  return new AppError({
    code: 'system_prompt_unusable',
    message: `${SYSTEM_PROMPT_FILE} in the workspace ${why}.`,
    hint: 'Fix the file, or remove it to use the built-in prompt.',
    cause,
  });
}
