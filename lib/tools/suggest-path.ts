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
    throw new AppError({
      code: error.code,
      message: error.message,
      hint: hintFor(steps, await siblings(workspace, steps)),
    });
  }
}

/** @param names as they are listed: bytes that are not UTF-8 are shown as U+FFFD, and no path leads to such a file */
function hintFor(steps: readonly string[], names: readonly string[]): string {
  const name = steps.at(-1) ?? '';
  if (name.includes('\uFFFD') && names.includes(name)) {
    return 'A file listed like that has a name that is not UTF-8: rename it with a command to use it.';
  }
  const near = nearestName(
    name,
    names.filter((each) => !each.includes('\uFFFD')),
  );
  if (near === undefined) return 'Use list_directory to see what is there.';
  return `Did you mean "${[...steps.slice(0, -1), near].join('/')}"?`;
}
