import { AppError } from '../errors/app-error.ts';
import { siblings } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import { nearestName } from '../util/nearest-name.ts';

/**
 * Reads a file; one that does not exist is reported with the most similar name beside it.
 *
 * @param path as the model wrote it
 */
export async function readOrSuggest<T>(
  workspace: string,
  path: string,
  read: (steps: readonly string[]) => Promise<T>,
): Promise<T> {
  const steps = workspaceSteps(path);
  try {
    return await read(steps);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const near = nearestName(steps.at(-1) ?? '', await siblings(workspace, steps));
    const suggestion = near && [...steps.slice(0, -1), near].join('/');
    throw new AppError({
      code: error.code,
      message: error.message,
      hint: suggestion ? `Did you mean "${suggestion}"?` : 'Use list_directory to see what is there.',
    });
  }
}
