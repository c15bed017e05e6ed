import { z } from 'zod';
import { MAX_MODEL_NAME_CHARS, MAX_TASK_CHARS, MAX_TITLE_CHARS } from './limits.ts';
import { modeNames, type RunMode } from './modes.ts';
import { approvalPolicy, parserLayer } from './setting-values.ts';
import { diversitySettings, SETTINGS, storedSettings } from './settings.ts';

/** The modes, as in `MODES`. */
export const runMode = z.enum(modeNames);
export type { RunMode };

/** Settings specific to sessions. */
const sessionSettings = z.object({
  context_limit: SETTINGS.context_limit.schema,
  turn_delay: SETTINGS.turn_delay.schema,
});

/** Settings specific to explorations. */
const exploreSettings = z.object({
  context_limit: SETTINGS.context_limit.schema,
  max_cycles: SETTINGS.max_cycles.schema,
  calls_per_cycle: SETTINGS.calls_per_cycle.schema,
  cycle_line: SETTINGS.cycle_line.schema,
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

/**
 * A run's complete configuration, fixed at creation with all defaults filled in, so that the run can be read, resumed
 * and repeated from it alone.
 */
export const runConfig = z.object({
  mode: runMode,
  /** Name in lists; default: the start of the task, or the mode. */
  title: z.string().max(MAX_TITLE_CHARS).optional(),
  /** `false` takes the single-shot path: one streamed answer, no tools, no loop (T9, T10). */
  agentic: z.boolean(),
  /** The task. In a session the first message to the model, if any; empty in an exploration. */
  task: z.string().max(MAX_TASK_CHARS),
  model: z.string().min(1).max(MAX_MODEL_NAME_CHARS),
  /** Absolute path; empty if no files are used: single answers and explorations. */
  workspace: z.string(),
  ...storedSettings.shape,
  /** Resolved from the tier or the explicit override (G1-G3). 0: no such limit, as in a session (S17). */
  max_iterations: z.int().min(0).max(1_000_000),
  /** Rounds kept verbatim (C3). */
  keep_rounds: z.int().min(1).max(20),
  call_timeout_ms: z.int().positive(),
  load_timeout_ms: z.int().positive(),
  repetition_threshold: z.int().min(2).max(20),
  stall_threshold: z.int().min(1).max(100),
  max_nudges: z.int().min(0).max(20),
  /** Empty in a single answer. */
  parser_layers: z.array(parserLayer),
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
