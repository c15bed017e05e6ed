import { tmpdir } from 'node:os';
import { AppError } from '../errors/app-error.ts';
import { isNoSpace } from '../util/no-space.ts';

/** In memory, for when the disk for temporary files is full. */
const IN_MEMORY = '/dev/shm';

/** Runs `work` with a folder for temporary files that has space. */
export function inScratchPlace<T>(
  work: (place: string) => T,
  places: readonly string[] = process.platform === 'linux' ? [tmpdir(), IN_MEMORY] : [tmpdir()],
): T {
  const [place = tmpdir(), ...others] = places;
  try {
    return work(place);
  } catch (error) {
    if (!isNoSpace(error) || others.length === 0) throw error;
    return inScratchPlace(work, others);
  }
}

/** Says of a command what was full. Other errors pass unchanged. */
export function explainNoSpace(error: unknown): unknown {
  if (!isNoSpace(error)) return error;
  return new AppError({
    code: 'no_space',
    message: 'The command was not run, because there is no disk space for its temporary files.',
    hint: `Free space on the disk that holds ${tmpdir()}, then try again.`,
    cause: error,
  });
}
