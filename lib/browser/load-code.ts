import { ApiError } from './api-error.ts';

/**
 * Loads code that is not part of the page.
 *
 * @param load a dynamic import
 * @throws {ApiError} `code_missing` when the server has stopped, or serves another version since the page was opened
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch (cause) {
    throw new ApiError({
      code: 'code_missing',
      message: 'This part of the page could not be loaded.',
      hint: 'Reload the page. If that fails, start Loupe with npm start.',
      status: 0,
      cause,
    });
  }
}

/** Whether an error means that the bundler's runtime could not load code, as after an update of the server. */
export function isMissingCode(error: unknown): boolean {
  return error instanceof Error && error.name === 'ChunkLoadError';
}
