import { ApiError } from '#lib/browser/api.ts';
import { MAX_BODY_BYTES } from '#lib/events/limits.ts';

/**
 * The content of a preset file as JSON; the server checks its fields.
 *
 * @throws {ApiError} `bad_preset_file`
 */
export async function readPresetFile(file: File): Promise<unknown> {
  if (file.size > MAX_BODY_BYTES) throw badFile(`The file is larger than ${MAX_BODY_BYTES / 1024 ** 2} MB.`);
  try {
    const value: unknown = JSON.parse(await file.text());
    if (typeof value === 'object' && value !== null && 'format' in value) return value;
  } catch {
    throw badFile('The file is not JSON.');
  }
  throw badFile('The file has no "format", so it is not a preset.');
}

function badFile(message: string): ApiError {
  return new ApiError({
    code: 'bad_preset_file',
    message,
    hint: 'Choose a file that was exported from Loupe as a preset.',
    status: 0,
  });
}
