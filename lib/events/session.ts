import { z } from 'zod';
import { envelope, optionalCount } from './envelope.ts';

/**
 * A session turn ended: one reply and its calls (S9, S10). A text becomes an assistant message with this event; an
 * empty reply adds none.
 */
export const turnEnded = z.object({
  ...envelope,
  type: z.literal('turn.ended'),
  iteration: z.int().positive(),
  outcome: z.enum(['text', 'calls', 'empty']),
  /** For an empty turn: tokens of its reply that never arrived. */
  swallowed_tokens: optionalCount,
});

/** The pause between two turns started (S16). A stop or a restart cuts it short. */
export const turnPaused = z.object({
  ...envelope,
  type: z.literal('turn.paused'),
  iteration: z.int().positive(),
  wait_ms: z.int().positive(),
});

/** A user message added by Loupe, so that the model does not continue its own text (S9, K-23). */
export const harnessPrompted = z.object({
  ...envelope,
  type: z.literal('harness.prompted'),
  /** The previous turn. */
  iteration: z.int().nonnegative(),
  text: z.string().min(1),
});

/**
 * Why a run waits for a message: it has none yet, the model answered, autopilot reached one of its limits, or the agent
 * of an exploration sent a message that a person is to answer.
 */
const waitCause = z.enum(['start', 'text', 'empty', 'autopilot_turns', 'autopilot_time', 'agent_message']);
export type WaitCause = z.infer<typeof waitCause>;

/** The session waits for a message. No process works on it until the operator writes, stops it or starts autopilot. */
export const messageAwaited = z.object({
  ...envelope,
  type: z.literal('message.awaited'),
  /** The last turn; 0 before the first. */
  iteration: z.int().nonnegative(),
  cause: waitCause,
  /** The call that sent the agent's message. */
  call_id: z.string().optional(),
});

/** The operator switched autopilot on or off. */
export const autopilotSwitched = z.object({
  ...envelope,
  type: z.literal('autopilot.switched'),
  on: z.boolean(),
});
