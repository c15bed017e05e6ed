import { z } from 'zod';

/** The three systems that one engine serves. */
export const runMode = z.enum(['task', 'session', 'explore']);
export type RunMode = z.infer<typeof runMode>;

/** Complexity tiers and their iteration limits (G1, AGENT-08). */
export const tier = z.enum(['trivial', 'standard', 'complex']);

/** A check of the finished work (V11), run in the workspace like the tools. */
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

/** A command that matches is refused before it starts (O6): a regular expression, looked for anywhere in its lines. */
export const blockedPattern = z
  .string()
  .min(1)
  .max(500)
  .refine((pattern) => isExpression(pattern), 'This is no regular expression.');

/** What keeps an exploration from going in circles (X21). */
export const diversitySettings = z.object({
  /** Similarity, 0 to 1, from which the next cycle is advised. */
  threshold: z.number().min(0).max(1),
  /** Earlier reflections that the last one is compared with. */
  window: z.int().min(1).max(50),
  /** Compares by embeddings of this Ollama model; left out, by groups of words. */
  embedding_model: z.string().min(1).max(300).optional(),
});

const contextLimit = z.int().min(64).max(2_000_000);

/** What only a session has. */
export const sessionSettings = z.object({
  /** The session ends when its messages hold more than four characters per token of this limit (C8). */
  context_limit: contextLimit,
  /** Pause between two turns in milliseconds (S16). */
  turn_delay: z.int().min(0).max(86_400_000),
});

/** What only an exploration has. */
export const exploreSettings = z.object({
  context_limit: contextLimit,
  /** `null`: until it is stopped (X22). */
  max_cycles: z.int().min(1).max(1000).nullable(),
  calls_per_cycle: z.int().min(1).max(1000),
  /** Whether a cycle opens with the line `Cycle {n}.` (X23). */
  cycle_line: z.boolean(),
  /** Off unless set. */
  diversity: diversitySettings.optional(),
});

/** How replies and results become messages of the conversation. */
export const conversationStyle = z.object({
  /** `read`: as they were read, without thinking (K-9). `unchanged`: as the server sent them, thinking included (X9). */
  replies: z.enum(['read', 'unchanged']),
  /** Calls and results name each other by an identifier (S10). */
  call_ids: z.boolean(),
  /** What the model gets of a result: its JSON (T14), or its plain text (K-39). */
  results: z.enum(['json', 'text']),
});

/** What becomes of a call: it runs, a person is asked first, or it is refused. */
export const approvalChoice = z.enum(['auto', 'ask', 'deny']);
export type ApprovalChoice = z.infer<typeof approvalChoice>;

/** Which calls a person must approve. */
export const approvalPolicy = z.object({
  default: approvalChoice,
  /** By the name of the tool. */
  tools: z.record(z.string(), approvalChoice).optional(),
});

/** Spending limits of a run, each optional (V2). */
export const budget = z.object({
  max_tokens_total: z.int().positive().optional(),
  max_cost_usd: z.number().positive().optional(),
  max_seconds: z.number().positive().optional(),
});

/**
 * Everything that decides how a run goes, fixed when it is created, with all defaults filled in: a run can be read,
 * resumed and repeated from this alone.
 */
export const runConfig = z.object({
  mode: runMode,
  /** A name for lists; left out, the task's beginning or the mode. */
  title: z.string().max(200).optional(),
  /** `false` takes the single-shot path: one streamed answer, no tools, no loop (T9, T10). */
  agentic: z.boolean(),
  /** What is to be done. In a session the first words to the model, if any; empty in an exploration. */
  task: z.string().max(200_000),
  model: z.string().min(1).max(300),
  /** Absolute path; an empty string where no files are touched: single answers and explorations. */
  workspace: z.string(),
  /** Task-specific words that go before the tool rules in the system prompt (T2). */
  system: z.string().max(100_000).optional(),
  tier,
  /** Resolved from the tier or the explicit override (G1-G3). 0: no such limit, as in a session (S17). */
  max_iterations: z.int().min(0).max(1_000_000),
  /** `num_ctx` (C7): tokens the window holds; lowered when the model's maximum is lower. */
  window_tokens: z.int().min(256).max(2_000_000),
  /** Share of the window at which older results are folded (C2). */
  compact_at: z.number().min(0.1).max(1),
  /** Rounds kept verbatim (C3). */
  keep_rounds: z.int().min(1).max(20),
  /** Characters a single result is cut to when folding is not enough (C6). */
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
  /** Attempts in all, first included, when checks fail (V7). */
  max_attempts: z.int().min(1).max(10),
  /** Stream on the wire and show text while it is written (K-21). */
  live_tokens: z.boolean(),
  think: thinkSetting,
  keep_alive: z.union([z.string(), z.number()]),
  /** Ollama options beside `num_ctx` and `num_predict`: temperature, seed, … */
  model_options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  parser_layers: z.array(z.enum(['native', 'json', 'xml'])),
  /** Default and maximum time of a command in seconds (O7); left out: 120. */
  shell_timeout_secs: z.int().min(1).max(86_400).optional(),
  /** Beside the built-in ones (O6). */
  blocked_patterns: z.array(blockedPattern).max(50).optional(),
  /** Left out: every call runs unasked. */
  approval: approvalPolicy.optional(),
  /** Left out in logs from before there were several modes, and in tasks: read, without identifiers, JSON. */
  conversation: conversationStyle.optional(),
  session: sessionSettings.optional(),
  explore: exploreSettings.optional(),
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
