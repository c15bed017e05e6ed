import { z } from 'zod';
import { PARSER_LAYERS } from '../parser/layers.ts';
import { regularExpression } from '../util/regular-expression.ts';
import { APPROVAL_CHOICES } from './approval-choices.ts';
import { boundedJson, check } from './check.ts';
import { commandTool, MAX_COMMAND_TOOLS } from './command-tool.ts';
import { copiedFiles } from './copied-files.ts';
import { envelope } from './envelope.ts';
import { fetchHostProblem, MAX_FETCH_HOSTS, readFetchHost } from './fetch-hosts.ts';
import { imageRef } from './image.ts';
import {
  MAX_MODEL_NAME_CHARS,
  MAX_OFFERED_TOOLS,
  MAX_OPERATOR_REPLIES,
  MAX_OPERATOR_TEXT_CHARS,
  MAX_TASK_CHARS,
  MAX_TITLE_CHARS,
} from './limits.ts';
import { modeNames, type RunMode } from './modes.ts';
import { KEEP_ALIVE_FORM, optionValue, thinkSetting } from './setting-values.ts';
import {
  BUDGET_LIMITS,
  DIVERSITY_DEFAULTS,
  DIVERSITY_LIMITS,
  describeRange,
  MAX_CHECKS,
  type NumberRange,
  REPLY_LIMITS,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingsWith,
  STORED_ALWAYS,
  STORED_IF_SET,
} from './settings.ts';

/** The modes, as in `MODES`. */
export const runMode = z.enum(modeNames);
export type { RunMode };

/**
 * The schema of a number within limits. Every error message states the limits.
 *
 * @param orElse other accepted values, such as `, or null`
 */
export function numberSchema(facts: NumberRange, orElse = ''): z.ZodNumber {
  const { whole, above, min, max } = facts;
  const error: z.core.$ZodErrorMap = ({ input }) =>
    input === undefined ? undefined : `must be ${describeRange(facts)}${orElse}.`;
  let schema: z.ZodNumber = whole ? z.int({ error }) : z.number({ error });
  if (above !== undefined) schema = schema.gt(above);
  if (min !== undefined) schema = schema.min(min);
  return max === undefined ? schema : schema.max(max);
}

/** Settings that keep an exploration from going in circles (X21). */
const diversitySettings = z.object({
  threshold: numberSchema(DIVERSITY_LIMITS.threshold),
  window: numberSchema(DIVERSITY_LIMITS.window),
  /** Ollama model for embeddings; default: compare word n-grams. */
  embedding_model: z.string().min(1).max(MAX_MODEL_NAME_CHARS).optional(),
});

const approvalChoice = z.enum(APPROVAL_CHOICES);

/** Which calls need the operator's approval. */
const approvalPolicy = z.object({
  default: approvalChoice,
  /** By tool name. */
  tools: z.record(z.string(), approvalChoice).optional(),
});

/** Commands that match are refused before they start (O6): a regular expression, searched for in each of their lines. */
const blockedPattern = z
  .string()
  .min(1)
  .max(500)
  .refine((pattern) => regularExpression(pattern, 'i') !== undefined, 'This is not a regular expression.');

/** A reply of an operator policy, or the prompt of the model that replies. */
const operatorText = z.string().trim().min(1, 'Enter a text.').max(MAX_OPERATOR_TEXT_CHARS);

/** The schemas of the settings that are neither numbers, switches nor choices. */
const OTHER_SCHEMAS = {
  system: z.string().max(100_000),
  num_predict: z.tuple(
    [numberSchema(REPLY_LIMITS.first), numberSchema(REPLY_LIMITS.second)],
    'must be a list of two whole numbers above 0: the limit of the first try and that of the second.',
  ),
  // Strict in requests: a misspelled limit would be dropped, and the run work without it.
  budget: z.strictObject({
    max_tokens_total: numberSchema(BUDGET_LIMITS.max_tokens_total).optional(),
    max_cost_usd: numberSchema(BUDGET_LIMITS.max_cost_usd).optional(),
    max_seconds: numberSchema(BUDGET_LIMITS.max_seconds).optional(),
  }),
  checks: z.array(check).max(MAX_CHECKS),
  answer_schema: boundedJson,
  think: thinkSetting,
  keep_alive: z.union([z.string(), z.number()], KEEP_ALIVE_FORM),
  model_options: z.record(z.string(), optionValue),
  parser_layers: z.array(z.enum(PARSER_LAYERS)).min(1),
  blocked_patterns: z.array(blockedPattern).max(50),
  // Requests are checked against the mode's tools (`toolsProblem`); a log may name tools of another version.
  tools: z.array(z.string().min(1).max(100)).min(1, 'Name at least one tool.').max(MAX_OFFERED_TOOLS),
  fetch_hosts: z
    .array(
      z
        .string()
        .min(1)
        .max(300)
        .refine((host) => readFetchHost(host) !== undefined, {
          error: ({ input }) => fetchHostProblem(String(input)) ?? 'This is not a host.',
        }),
    )
    .max(MAX_FETCH_HOSTS),
  approval: approvalPolicy,
  operator_replies: z.array(operatorText).min(1).max(MAX_OPERATOR_REPLIES),
  operator_model: z.string().min(1).max(MAX_MODEL_NAME_CHARS),
  operator_prompt: operatorText,
  diversity: diversitySettings
    .extend({
      threshold: diversitySettings.shape.threshold.default(DIVERSITY_DEFAULTS.threshold),
      window: diversitySettings.shape.window.default(DIVERSITY_DEFAULTS.window),
    })
    .strict(),
} as const satisfies Record<SettingsWith<{ type: 'other' }>, z.ZodType>;

type SchemaOf<Name extends SettingName> = (typeof SETTINGS)[Name] extends { type: 'number'; nullable: true }
  ? z.ZodNullable<z.ZodNumber>
  : (typeof SETTINGS)[Name] extends { type: 'number' }
    ? z.ZodNumber
    : (typeof SETTINGS)[Name] extends { type: 'switch' }
      ? z.ZodBoolean
      : (typeof SETTINGS)[Name] extends { type: 'choice'; options: readonly (infer Option extends string)[] }
        ? z.ZodEnum<{ [Each in Option]: Each }>
        : Name extends keyof typeof OTHER_SCHEMAS
          ? (typeof OTHER_SCHEMAS)[Name]
          : never;

function schemaOf(name: SettingName): z.ZodType {
  const facts = SETTINGS[name];
  switch (facts.type) {
    case 'number':
      return 'nullable' in facts ? numberSchema(facts, ', or null').nullable() : numberSchema(facts);
    case 'switch':
      return z.boolean();
    case 'choice':
      return z.enum(facts.options);
    case 'other':
      return OTHER_SCHEMAS[name as keyof typeof OTHER_SCHEMAS];
  }
}

/** The schema of each setting's value in `POST /api/runs`. */
const SETTING_SCHEMAS = Object.fromEntries(SETTING_NAMES.map((name) => [name, schemaOf(name)])) as {
  [Name in SettingName]: SchemaOf<Name>;
};

/** The schemas of some settings, each optional: the fields of a request that sets them. */
export function optionalSettings<Name extends SettingName>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, SETTING_SCHEMAS[name].optional()])) as {
    [Each in Name]: z.ZodOptional<SchemaOf<Each>>;
  };
}

/** The fields of a configuration that hold a setting under its own name. */
export const storedSettings = z.object({
  ...(Object.fromEntries(STORED_ALWAYS.map((name) => [name, SETTING_SCHEMAS[name]])) as {
    [Name in (typeof STORED_ALWAYS)[number]]: SchemaOf<Name>;
  }),
  ...optionalSettings(STORED_IF_SET),
  // A log of a later version may have limits that this one does not know.
  budget: SETTING_SCHEMAS.budget.strip(),
});

/** Settings specific to sessions. */
const sessionSettings = z.object({
  context_limit: SETTING_SCHEMAS.context_limit,
  turn_delay: SETTING_SCHEMAS.turn_delay,
});

/** Settings specific to explorations. */
const exploreSettings = z.object({
  context_limit: SETTING_SCHEMAS.context_limit,
  max_cycles: SETTING_SCHEMAS.max_cycles,
  calls_per_cycle: SETTING_SCHEMAS.calls_per_cycle,
  cycle_line: SETTING_SCHEMAS.cycle_line,
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
  /** Images attached to the task. */
  images: z.array(imageRef).optional(),
  model: z.string().min(1).max(MAX_MODEL_NAME_CHARS),
  /** Absolute path; empty if no files are used: single answers and explorations. */
  workspace: z.string(),
  /** Absolute path of the folder that the workspace is a copy of. Missing in older logs. */
  copied_from: z.string().optional(),
  ...storedSettings.shape,
  /** Resolved from the tier or the explicit override (G1-G3). 0: no such limit, as in a session (S17). */
  max_iterations: z.int().min(0).max(1_000_000),
  call_timeout_ms: z.int().positive(),
  load_timeout_ms: z.int().positive(),
  /** Empty in a single answer. */
  parser_layers: z.array(z.enum(PARSER_LAYERS)),
  /** The custom tools that the run chose, as they were when it was created. */
  command_tools: z.array(commandTool).max(MAX_COMMAND_TOOLS).optional(),
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

/** The first event of a run, which records its configuration in the log. */
export const runCreated = z.object({
  ...envelope,
  type: z.literal('run.created'),
  config: runConfig,
  /** The run this one was forked from: all events up to `seq` are copies. */
  parent: z.object({ run_id: z.string(), seq: z.int().positive() }).optional(),
  /** The workspace is a copy of another folder. */
  copied: copiedFiles.optional(),
});
