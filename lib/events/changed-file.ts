import { z } from 'zod';

/** What a file held before a call changed it, so that the change can be shown and undone. */
const fileBefore = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('absent') }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('binary'), base64: z.string() }),
  /** What the last call of this run that wrote the file had left. */
  z.object({ kind: z.literal('unchanged') }),
  /** Too large or not readable. */
  z.object({ kind: z.literal('not_kept'), size_bytes: z.number().nonnegative().optional() }),
]);
export type FileBefore = z.infer<typeof fileBefore>;

/** A file that a call is about to change: its path from the workspace, with `/`, and its content. */
export const changedFile = z.object({ path: z.string(), before: fileBefore });
export type ChangedFile = z.infer<typeof changedFile>;
