import { z } from 'zod';

/** The result of copying a workspace. */
export const copiedFiles = z.object({
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** Links and special files, what could not be read, and paths that are too long: not copied. A folder counts once. */
  left_out: z.int().nonnegative(),
});
