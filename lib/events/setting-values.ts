import { z } from 'zod';

export const MAX_PATH_CHARS = 4096;

/** A verification check (V11), run in the workspace like the tools. */
export const check = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), command: z.string().min(1).max(4000) }),
  z.object({ type: z.literal('file_exists'), path: z.string().min(1).max(MAX_PATH_CHARS) }),
  z.object({
    type: z.literal('file_contains'),
    path: z.string().min(1).max(MAX_PATH_CHARS),
    text: z.string().min(1).max(10_000),
  }),
]);
export type Check = z.infer<typeof check>;

export const thinkSetting = z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]);
export type ThinkSetting = z.infer<typeof thinkSetting>;

/** The layers of the parser that read a reply, in the order in which they are tried. */
export const parserLayer = z.enum(['native', 'json', 'xml']);
export type ParserLayer = z.infer<typeof parserLayer>;

/** The value of a model option. */
export const optionValue = z.union([z.number(), z.string(), z.boolean()]);
export type OptionValue = z.infer<typeof optionValue>;

/**
 * Commands that match are refused before they start (O6): a regular expression, searched for in each of their lines.
 */
export const blockedPattern = z
  .string()
  .min(1)
  .max(500)
  .refine((pattern) => isExpression(pattern), 'This is no regular expression.');

/** Whether a call runs, needs approval, or is refused. */
export const approvalChoice = z.enum(['auto', 'ask', 'deny']);
export type ApprovalChoice = z.infer<typeof approvalChoice>;

/** Which calls need the operator's approval. */
export const approvalPolicy = z.object({
  default: approvalChoice,
  /** By tool name. */
  tools: z.record(z.string(), approvalChoice).optional(),
});

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, 'i');
    return true;
  } catch {
    return false;
  }
}
