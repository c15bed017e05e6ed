import { z } from 'zod';
import { envelope, optionalCount } from './envelope.ts';
import { MAX_VECTOR_LENGTH } from './limits.ts';
import { SIMILARITY_MEASURES } from './similarity-matrix.ts';

/** A cycle of an exploration starts (X12), with an optional neutral user line (X23). */
export const cycleStarted = z.object({
  ...envelope,
  type: z.literal('cycle.started'),
  cycle: z.int().positive(),
  line: z.string().min(1).optional(),
});

/**
 * A cycle ended (X11). `reflection`: the model's final text, possibly empty (X8). `call_limit`: Loupe ended it after
 * too many calls (X22), without a reflection.
 */
export const cycleReflected = z.object({
  ...envelope,
  type: z.literal('cycle.reflected'),
  cycle: z.int().positive(),
  text: z.string(),
  ended_by: z.enum(['reflection', 'call_limit']),
  /** For an empty reflection: tokens of the reply that never arrived. */
  swallowed_tokens: optionalCount,
});

/**
 * How similar the last reflection is to earlier ones, and the feedback for this cycle (X21). After the last cycle it
 * only measures, for the novelty of the final reflection by embeddings.
 */
export const diversityAdvised = z.object({
  ...envelope,
  type: z.literal('diversity.advised'),
  /** The starting cycle, whose calls include the feedback; after the last cycle, that cycle. */
  cycle: z.int().positive(),
  measure: z.enum(SIMILARITY_MEASURES),
  /** The highest similarity, 0 to 1, of the last reflection to an earlier one. */
  similarity: z.number().min(0).max(1),
  threshold: z.number().min(0).max(1),
  /** The cycle whose reflection is the most similar. */
  nearest_cycle: z.int().positive(),
  /** Cycles whose reflections were compared with the last one. */
  compared: z.array(z.int().positive()),
  /**
   * Embeddings of reflections that no earlier event has, scaled to length 1: later comparisons and figures use them.
   * Missing in older logs.
   */
  vectors: z
    .array(
      z.object({
        cycle: z.int().positive(),
        vector: z.array(z.number().min(-1).max(1)).max(MAX_VECTOR_LENGTH),
      }),
    )
    .optional(),
  /**
   * Text appended to the system prompt in every call of the cycle (X3); missing if no feedback is needed, or if the run
   * only measures.
   */
  feedback: z.string().min(1).optional(),
});

/** A memory of the run was written or deleted by a tool call (O12, O13). The log is the database. */
export const memoryChanged = z.object({
  ...envelope,
  type: z.literal('memory.changed'),
  call_id: z.string(),
  cycle: z.int().nonnegative(),
  operation: z.enum(['write', 'delete']),
  key: z.string().min(1),
  /** The new value; missing for a deletion. */
  value: z.string().optional(),
});
