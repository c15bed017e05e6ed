import { z } from 'zod';
import { envelope } from './envelope.ts';

/** A cycle of an exploration begins (X12), with a neutral user line when it has one (X23). */
export const cycleStarted = z.object({
  ...envelope,
  type: z.literal('cycle.started'),
  cycle: z.int().positive(),
  line: z.string().min(1).optional(),
});

/**
 * A cycle is over (X11). `reflection`: the model's final text, which may be empty (X8). `call_limit`: the harness ended it
 * after too many calls (X22); then there is no reflection.
 */
export const cycleReflected = z.object({
  ...envelope,
  type: z.literal('cycle.reflected'),
  cycle: z.int().positive(),
  text: z.string(),
  ended_by: z.enum(['reflection', 'call_limit']),
});

/** How like its forerunners the last reflection is, and what the model is told about it in this cycle (X21). */
export const diversityAdvised = z.object({
  ...envelope,
  type: z.literal('diversity.advised'),
  /** The cycle that begins, whose calls carry the feedback. */
  cycle: z.int().positive(),
  measure: z.enum(['ngram', 'embeddings']),
  /** The highest similarity, 0 to 1, of the last reflection to an earlier one. */
  similarity: z.number().min(0).max(1),
  threshold: z.number().min(0).max(1),
  /** The cycle whose reflection is the most similar. */
  nearest_cycle: z.int().positive(),
  /** Cycles that the last reflection was compared with. */
  compared: z.array(z.int().positive()),
  /** What every call of the cycle says after the system prompt (X3); missing when all is well. */
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
  /** The whole new value; missing for a deletion. */
  value: z.string().optional(),
});
