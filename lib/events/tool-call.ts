import { z } from 'zod';
import { changedFile } from './changed-file.ts';
import { amount, envelope } from './envelope.ts';
import { imageRefs } from './image.ts';
import { inGivenOrder } from './in-given-order.ts';

const jsonValue = z.json();
/** A note from Loupe next to the output, for example that the operator changed the arguments. */
const note = z.string().optional();

/** A tool result (O3), sent to the model as JSON text in the tool message (T14). */
export const toolResult = z.discriminatedUnion('success', [
  z.object({
    success: z.literal(true),
    tool: z.string(),
    output: jsonValue,
    truncated: z.literal(true).optional(),
    note,
  }),
  z.object({
    success: z.literal(false),
    tool: z.string(),
    output: inGivenOrder(z.object({ error: z.string() }).catchall(jsonValue)),
    truncated: z.literal(true).optional(),
    note,
  }),
]);

/** Intent, committed before any side effect: a call that started but did not end before a crash is never run again. */
export const toolCallStarted = z.object({
  ...envelope,
  type: z.literal('tool-call.started'),
  call_id: z.string(),
  iteration: z.int().positive(),
  tool: z.string(),
  file: changedFile.optional(),
});

export const toolCallEnded = z.object({
  ...envelope,
  type: z.literal('tool-call.ended'),
  call_id: z.string(),
  tool: z.string(),
  result: toolResult,
  /** Images that the tool returned in addition to the text of the result. */
  images: imageRefs.optional(),
  /**
   * Whether the call succeeded and the attempt had not seen this result of it before (G11). Only in modes with a stall
   * guard; missing in older logs.
   */
  new_information: z.boolean().optional(),
  duration_ms: amount,
});

/**
 * The server died while the call ran. The outcome is unknown: the model learns this, and the call is not repeated.
 */
export const toolCallInterrupted = z.object({
  ...envelope,
  type: z.literal('tool-call.interrupted'),
  call_id: z.string(),
  tool: z.string(),
  result: toolResult,
});
