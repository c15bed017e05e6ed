import { z } from 'zod';
import { regularExpression } from '../util/regular-expression.ts';

/**
 * Commands that match are refused before they start (O6): a regular expression, searched for in each of their lines.
 */
export const blockedPattern = z
  .string()
  .min(1)
  .max(500)
  .refine((pattern) => regularExpression(pattern, 'i') !== undefined, 'This is no regular expression.');
