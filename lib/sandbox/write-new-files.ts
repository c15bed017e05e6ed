import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../errors/app-error.ts';
import { errorMessage } from '../util/error-message.ts';
import { isNoSpace } from '../util/no-space.ts';

/**
 * Writes the files with which a run starts into a new, empty folder.
 *
 * @param folder absolute real path
 * @param files the text of each file by its relative path, which must not lead outside (the schema of a case checks it)
 * @throws {AppError} `workspace_files` if one cannot be written, such as two names that the disk treats as one; the error
 *   of the system if the disk is full
 */
export async function writeNewFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, path);
    try {
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      // Opened exclusively and without following links, so that nothing outside of the folder can be reached.
      const file = await open(place, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        await file.writeFile(text);
      } finally {
        await file.close();
      }
    } catch (cause) {
      if (isNoSpace(cause)) throw cause;
      throw new AppError({
        code: 'workspace_files',
        message: `The file "${path}" could not be written: ${errorMessage(cause)}`,
        hint: 'Shorten or change its path. Some disks treat upper and lower case as the same.',
        cause,
      });
    }
  }
}
