import { AppError } from '../errors/app-error.ts';

/** The mount point of the workspace in the sandbox, so that host paths never appear in prompts or results. */
export const SANDBOX_WORKSPACE = '/workspace';

const MAX_PATH_BYTES = 4096;

/**
 * Splits a path from a model into steps from the workspace root: `src/./a.ts` gives `['src', 'a.ts']`, the root gives
 * `[]` (O5). `/workspace/…` is accepted, because commands see that path.
 *
 * @throws {AppError} `path_outside` if the path leaves the workspace, `path_invalid` if it is invalid
 */
export function workspaceSteps(path: string): string[] {
  if (path === '') throw invalid('The path is empty.', 'Use "." for the workspace itself.');
  if (path.includes('\0')) throw invalid('The path contains a NUL character.');
  if (!path.isWellFormed()) throw invalid('The path is not valid Unicode.');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw invalid(`The path is longer than ${MAX_PATH_BYTES} bytes.`);
  }
  if (/^([A-Za-z]:[\\/]|\\)/.test(path)) throw outside(path);
  let rest = path;
  if (rest === SANDBOX_WORKSPACE) rest = '.';
  else if (rest.startsWith(`${SANDBOX_WORKSPACE}/`))
    rest = rest.slice(SANDBOX_WORKSPACE.length).replace(/^\/+/, '');
  else if (rest.startsWith('/')) throw outside(path);

  const steps: string[] = [];
  for (const step of rest.split(process.platform === 'win32' ? /[\\/]/ : '/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) throw outside(path);
  }
  return steps;
}

function outside(path: string): AppError {
  return new AppError({
    code: 'path_outside',
    message: `"${shown(path)}" leads out of the workspace.`,
    hint: 'Use a path relative to the workspace, such as "src/index.ts", or "." for the workspace itself.',
  });
}

function invalid(message: string, hint?: string): AppError {
  return new AppError({ code: 'path_invalid', message, hint });
}

function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
