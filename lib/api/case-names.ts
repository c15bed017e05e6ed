import { z } from 'zod';
import { MAX_TAG_CHARS } from '../events/limits.ts';

/** The ID of a case. */
export const caseId = z
  .string()
  .regex(/^[\w.:-]{1,100}$/, 'An ID must have 1 to 100 letters, digits, ".", "_", ":" or "-".');

/** A tag of a case. */
export const caseTag = z
  .string()
  .regex(
    /^[^\s,](?:[^\p{Cc},]*[^\s,])?$/u,
    'A tag must be one line without commas, and without spaces at its start or end.',
  )
  .max(MAX_TAG_CHARS);
