import { AppError } from '../errors/app-error.ts';
import { openForReading } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';

/** The file in which a workspace says what its sessions are about (S5). */
const SYSTEM_PROMPT_FILE = 'SYSTEM_PROMPT.md';

const MAX_BYTES = 100_000;

/**
 * The text of SYSTEM_PROMPT.md, read by the same walk as every file of a workspace: a link that leads outside is refused.
 *
 * @param workspace from `openWorkspace`
 * @returns `undefined` when there is no such file
 * @throws {AppError} `system_prompt_unusable` when there is one and it cannot be used
 */
export async function readWorkspacePrompt(workspace: string): Promise<string | undefined> {
  try {
    const { file, stats } = await openForReading(workspace, workspaceSteps(SYSTEM_PROMPT_FILE));
    try {
      if (stats.size > MAX_BYTES) throw unusable(`has ${stats.size} bytes, and at most ${MAX_BYTES} fit`);
      const text = await file.readFile('utf8');
      if (text.includes('\0')) throw unusable('is not a text file');
      return text;
    } finally {
      await file.close();
    }
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
    hint: 'Mend the file, or remove it: then the built-in prompt is used.',
    cause,
  });
}
