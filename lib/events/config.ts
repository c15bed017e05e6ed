import { z } from 'zod';
import { modeNames, type RunMode } from './modes.ts';

/** The modes, as in `MODES`. */
export const runMode = z.enum(modeNames);
export type { RunMode };

/** Complexity tiers, which set the iteration limit (G1). */
export const tier = z.enum(['trivial', 'standard', 'complex']);

/** A verification check (V11), run in the workspace like the tools. */
export const check = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), command: z.string().min(1).max(4000) }),
  z.object({ type: z.literal('file_exists'), path: z.string().min(1).max(4096) }),
  z.object({
    type: z.literal('file_contains'),
    path: z.string().min(1).max(4096),
    text: z.string().min(1).max(10_000),
  }),
]);
export type Check = z.infer<typeof check>;

export const thinkSetting = z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]);

/**
 * Commands that match are refused before they start (O6): a regular expression, searched for in each of their lines.
 */
export const blockedPattern = z
  .string()
  .min(1)
  .max(500)
  .refine((pattern) => isExpression(pattern), 'This is no regular expression.');

/** Settings that keep an exploration from going in circles (X21). */
export const diversitySettings = z.object({
  /** Similarity, 0 to 1, at or above which the next cycle gets feedback. */
  threshold: z.number().min(0).max(1),
  /** Number of earlier reflections to compare the last one with. */
  window: z.int().min(1).max(50),
  /** Ollama model for embeddings; default: compare word n-grams. */
  embedding_model: z.string().min(1).max(300).optional(),
});

const contextLimit = z.int().min(64).max(2_000_000);

/** Settings specific to sessions. */
export const sessionSettings = z.object({
  /** The session ends when its messages exceed four characters per token of this limit (C8). */
  context_limit: contextLimit,
  /** Pause between two turns in milliseconds (S16). */
  turn_delay: z.int().min(0).max(86_400_000),
});

/** Settings specific to explorations. */
export const exploreSettings = z.object({
  context_limit: contextLimit,
  /** `null`: no limit (X22). */
  max_cycles: z.int().min(1).max(1000).nullable(),
  calls_per_cycle: z.int().min(1).max(1000),
  /** Whether a cycle opens with the line `Cycle {n}.` (X23). */
  cycle_line: z.boolean(),
  /** Off by default. */
  diversity: diversitySettings.optional(),
});

/** How replies and results become messages of the conversation. */
const conversationStyle = z.object({
  /** `read`: as parsed, without thinking (K-9). `unchanged`: as the server sent them, with thinking (X9). */
  replies: z.enum(['read', 'unchanged']),
  /** Whether calls and results are linked by ID (S10). */
  call_ids: z.boolean(),
  /** The form in which the model gets a result: JSON (T14) or plain text (K-39). */
  results: z.enum(['json', 'text']),
});

/** Whether a call runs, needs approval, or is refused. */
export const approvalChoice = z.enum(['auto', 'ask', 'deny']);
export type ApprovalChoice = z.infer<typeof approvalChoice>;

/** Which calls need the operator's approval. */
const approvalPolicy = z.object({
  default: approvalChoice,
  /** By tool name. */
  tools: z.record(z.string(), approvalChoice).optional(),
});

const usd = z.number().min(0).max(1_000_000);

/** A model's price in US dollars, as set by the user: an API price, or the electricity used while the model answers. */
export const modelPrice = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('api'),
      input_usd_per_million: usd,
      output_usd_per_million: usd,
    })
    .refine((price) => price.input_usd_per_million + price.output_usd_per_million > 0, {
      path: ['output_usd_per_million'],
      message: 'One of the two prices must be above 0.',
    }),
  z.strictObject({
    kind: z.literal('electricity'),
    /** Power draw of the whole machine while the model answers. */
    watts: z.number().positive().max(1_000_000),
    usd_per_kwh: z.number().positive().max(1000),
  }),
]);
export type ModelPrice = z.infer<typeof modelPrice>;

/** Budget limits of a run, each optional (V2). */
export const budget = z.object({
  max_tokens_total: z.int().positive().optional(),
  max_cost_usd: z.number().positive().optional(),
  max_seconds: z.number().positive().optional(),
});

/**
 * A run's complete configuration, fixed at creation with all defaults filled in, so that the run can be read, resumed
 * and repeated from it alone.
 */
export const runConfig = z.object({
  mode: runMode,
  /** Name in lists; default: the start of the task, or the mode. */
  title: z.string().max(200).optional(),
  /** `false` takes the single-shot path: one streamed answer, no tools, no loop (T9, T10). */
  agentic: z.boolean(),
  /** The task. In a session the first message to the model, if any; empty in an exploration. */
  task: z.string().max(200_000),
  model: z.string().min(1).max(300),
  /** Absolute path; empty if no files are used: single answers and explorations. */
  workspace: z.string(),
  /** Task-specific text placed before the tool rules in the system prompt (T2). */
  system: z.string().max(100_000).optional(),
  tier,
  /** Resolved from the tier or the explicit override (G1-G3). 0: no such limit, as in a session (S17). */
  max_iterations: z.int().min(0).max(1_000_000),
  /** `num_ctx` (C7): context window in tokens; lowered if the model's maximum is lower. */
  window_tokens: z.int().min(256).max(2_000_000),
  /** Share of the window at which older results are folded (C2). */
  compact_at: z.number().min(0.1).max(1),
  /** Rounds kept verbatim (C3). */
  keep_rounds: z.int().min(1).max(20),
  /** Max characters of a single result once folding is not enough (C6). */
  result_chars: z.int().min(200).max(1_000_000),
  /** First and second reply limit in tokens (T20, T21). */
  num_predict: z.tuple([z.int().positive(), z.int().positive()]),
  call_timeout_ms: z.int().positive(),
  load_timeout_ms: z.int().positive(),
  repetition_threshold: z.int().min(2).max(20),
  stall_guard: z.boolean(),
  stall_threshold: z.int().min(1).max(100),
  nudge_plans: z.boolean(),
  max_nudges: z.int().min(0).max(20),
  budget,
  checks: z.array(check).max(20),
  /** Max attempts, including the first, if checks fail (V7). */
  max_attempts: z.int().min(1).max(10),
  /** Stream replies and show text as it is generated (K-21). */
  live_tokens: z.boolean(),
  think: thinkSetting,
  keep_alive: z.union([z.string(), z.number()]),
  /** Ollama options besides `num_ctx` and `num_predict`: temperature, seed, … */
  model_options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  parser_layers: z.array(z.enum(['native', 'json', 'xml'])),
  /** Default and max duration of a command in seconds (O7); default: 120. */
  shell_timeout_secs: z.int().min(1).max(86_400).optional(),
  /** In addition to the built-in ones (O6). */
  blocked_patterns: z.array(blockedPattern).max(50).optional(),
  /** Default: every call runs without approval. */
  approval: approvalPolicy.optional(),
  /** Missing in tasks and in logs from before modes were added: parsed replies, no IDs, JSON results. */
  conversation: conversationStyle.optional(),
  session: sessionSettings.optional(),
  explore: exploreSettings.optional(),
  /** The model's price at creation; later price changes do not affect the run. Missing if none was set. */
  price: modelPrice.optional(),
  /**
   * Names of the explicitly set settings, as in `POST /api/runs`. All others are defaults, which are resolved again
   * when the run is repeated with changes. Missing in older logs.
   */
  asked: z.array(z.string().max(100)).max(100).optional(),
});
export type RunConfig = z.infer<typeof runConfig>;

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, 'i');
    return true;
  } catch {
    return false;
  }
}
