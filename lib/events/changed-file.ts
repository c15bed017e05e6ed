import { z } from 'zod';
import { amount } from './envelope.ts';

/** The content of a file before a call changed it, so that the change can be shown and undone. */
const fileBefore = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('absent') }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('binary'), base64: z.string() }),
  /** The content left by the run's last call that wrote the file. */
  z.object({ kind: z.literal('unchanged') }),
  /** Too large or not readable. */
  z.object({ kind: z.literal('not_kept'), size_bytes: amount.optional() }),
]);
export type FileBefore = z.infer<typeof fileBefore>;

/** A file that a call is about to change: its path from the workspace, with `/`, and its content. */
export const changedFile = z.object({ path: z.string(), before: fileBefore });
export type ChangedFile = z.infer<typeof changedFile>;
