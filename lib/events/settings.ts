import type { ParserLayer } from '../parser/layers.ts';
import { formatNumber } from '../util/numbers.ts';
import { keysOf } from '../util/records.ts';
import { DISTRACTOR_NAMES } from './distractor-names.ts';
import { kindFacts, kindOf, modeFacts, type RunKind, type RunMode } from './modes.ts';
import type { OptionValue, ThinkSetting } from './setting-values.ts';

/** Complexity tiers, which set the iteration limit (G1). */
export const TIERS = ['trivial', 'standard', 'complex'] as const;
export type Tier = (typeof TIERS)[number];

/** Max iterations of a task by complexity tier (G1). */
export const ITERATION_LIMITS = { trivial: 5, standard: 10, complex: 20 } as const satisfies Record<
  Tier,
  number
>;

/** Empty turns of a session or cycles of an exploration in a row that end it (S18, K-24). */
const DEFAULT_MAX_EMPTY_REPLIES = 3;

/** Checks of one run. */
export const MAX_CHECKS = 20;

/**
 * Who answers an agent's messages: nobody but a person who writes in time, a person whom the cycle waits for, one reply
 * for all messages, a list of replies, or a model.
 */
export const OPERATOR_POLICIES = ['none', 'wait', 'fixed', 'list', 'model'] as const;
export type OperatorPolicy = (typeof OPERATOR_POLICIES)[number];

/** The values that other defaults depend on. */
export interface DefaultsBasis {
  readonly mode: RunMode;
  readonly agentic: boolean;
  readonly tier?: Tier;
  readonly window_tokens?: number;
}

/** Facts about any setting. */
interface CommonFacts {
  /** Its name in forms, gauges and comparisons. */
  readonly label: string;
  readonly help?: string;
  readonly unit?:
    | 'tokens'
    | 'characters'
    | 'milliseconds'
    | 'seconds'
    | 'USD'
    | 'share of the window'
    | '0 to 1';
  /** How forms take it, where that differs: in another unit, within other limits. */
  readonly form?: {
    /** The unit of the field, and how many of the setting's own it is. */
    readonly unit?: string;
    readonly scale?: number;
    /** In the unit of the field. */
    readonly min?: number;
    readonly max?: number;
    /** Placeholder of the empty field. Missing: the default. */
    readonly empty?: string;
  };
  /** The option of `loupe run` that sets it, without the dashes. Missing: `--set`. */
  readonly flag?: string;
  /** Whether that option takes names, separated by commas. */
  readonly isList?: true;
  /** Whether that option takes JSON. */
  readonly isJson?: true;
}

/** The limits of a number. */
export interface NumberRange {
  /** Whether it must be an integer. */
  readonly whole?: true;
  readonly min?: number;
  readonly max?: number;
  /** Exclusive minimum. */
  readonly above?: number;
}

/** A number and its limits. */
export interface NumberFacts extends CommonFacts, NumberRange {}

/** The declaration of a setting. */
type SettingFacts = NumberFacts & {
  /** The type of its value; `config.ts` has the schema of `other` types. */
  readonly type: 'number' | 'switch' | 'choice' | 'other';
  /** The values of a choice. */
  readonly options?: readonly string[];
  /** A number that may also be `null`. */
  readonly nullable?: true;
  /** The modes that have it. Missing: all. */
  readonly modes?: readonly RunMode[];
  /** Whether a single answer, which is a task without tools, has it. Missing: if all modes have it. */
  readonly singleAnswer?: boolean;
  /** Missing: without a value, it does nothing. */
  readonly default?: (basis: DefaultsBasis) => unknown;
  /** Whether a fork can change it. */
  readonly fork?: true;
  /**
   * Where the configuration keeps it. Missing: under its own name, where the mode has it and it has a value, as every
   * later setting must, because older logs lack it. `always`: in every log; `elsewhere`: as `config.ts` says.
   */
  readonly stored?: 'always' | 'elsewhere';
  /** Whether the form for a new run has a field for it; other settings are copied when a run is started again. */
  readonly field?: false;
};

const usesFiles = ['task', 'session'] as const;
const endless = ['session', 'explore'] as const;
const usesTools = ['task', 'session', 'explore'] as const;

const timeLimit = { type: 'number', above: 0, max: 86_400, unit: 'seconds' } as const;
const replyLimit = { whole: true, above: 0, unit: 'tokens', form: { max: 1_000_000 } } as const;

/** The default window (C2). */
export const DEFAULT_WINDOW_TOKENS = 32_768;

/** The two reply limits of `num_predict`: of the first try, and of the second after a truncated reply (T20, T21). */
export const REPLY_LIMITS = {
  first: { ...replyLimit, label: 'Reply limit', help: "Ollama's num_predict." },
  second: { ...replyLimit, label: 'Second reply limit', help: 'For the retry of a reply that was cut off.' },
} as const satisfies Record<string, NumberFacts>;

/** The defaults that differ between modes. */
const own = (basis: DefaultsBasis) => kindFacts(kindOf(basis)).defaults;

/** The default limit of the second try after a truncated reply; never lower than the first. */
export function defaultSecondReplyLimit(mode: RunMode, first: number): number {
  return Math.max(modeFacts(mode).defaults.num_predict[1], first);
}

/** The parts of a budget, each optional (V2). */
export const BUDGET_LIMITS = {
  max_tokens_total: {
    whole: true,
    above: 0,
    label: 'Token budget',
    unit: 'tokens',
    form: { unit: '', max: 1e9, empty: 'none' },
    flag: 'max-tokens',
  },
  max_cost_usd: {
    above: 0,
    label: 'Cost budget',
    unit: 'USD',
    form: { min: 0.0001, max: 1e6, empty: 'none' },
    flag: 'max-cost',
  },
  max_seconds: {
    above: 0,
    label: 'Time budget',
    unit: 'seconds',
    form: { unit: 'minutes', scale: 60, min: 0.01, max: 100_000, empty: 'none' },
    flag: 'max-seconds',
  },
} as const satisfies Record<string, NumberFacts>;

type Budget = { [Limit in keyof typeof BUDGET_LIMITS]?: number };

/** Defaults of `DIVERSITY_LIMITS`. */
export const DIVERSITY_DEFAULTS = { threshold: 0.6, window: 5 } as const;

/** The numbers that keep an exploration from going in circles (X21). */
export const DIVERSITY_LIMITS = {
  /** Similarity at or above which the next cycle gets feedback. */
  threshold: {
    min: 0,
    max: 1,
    label: 'Similarity threshold',
    unit: '0 to 1',
    form: { empty: String(DIVERSITY_DEFAULTS.threshold) },
  },
  /** Number of earlier reflections to compare the last one with. */
  window: {
    whole: true,
    min: 1,
    max: 50,
    label: 'Reflections compared',
    form: { empty: String(DIVERSITY_DEFAULTS.window) },
  },
} as const satisfies Record<string, NumberFacts>;

/** The model options that forms have a field for, with the limits of the field. The API passes any number to Ollama. */
export const MODEL_OPTIONS = {
  temperature: { min: 0, max: 5, label: 'Temperature', form: { empty: 'model default' } },
  seed: {
    whole: true,
    min: 0,
    max: 2 ** 31 - 1,
    label: 'Seed',
    form: { empty: 'random' },
  },
  top_p: { min: 0, max: 1, label: 'Top p', form: { empty: 'model default' } },
  top_k: { whole: true, min: 0, max: 1000, label: 'Top k', form: { empty: 'model default' } },
} as const satisfies Record<string, NumberFacts>;

/**
 * Every setting of a run, under its name in `POST /api/runs`. The request, the configuration, the forms, the options of
 * `loupe run` and the words for a setting follow from it, and docs/api.md is checked against it.
 */
export const SETTINGS = {
  /** Task-specific text placed before the tool rules in the system prompt (T2). */
  system: {
    type: 'other',
    modes: ['task'],
    singleAnswer: true,
    label: 'System prompt (added first)',
    help: 'Placed before the tool rules.',
    flag: 'system',
  },
  tier: {
    type: 'choice',
    options: TIERS,
    modes: ['task'],
    label: 'Tier',
    default: (): Tier => 'standard',
    stored: 'always',
    flag: 'tier',
  },
  /** By default from the tier (G1-G3). */
  max_iterations: {
    type: 'number',
    whole: true,
    min: 1,
    max: 100,
    modes: ['task'],
    label: 'Iterations',
    default: ({ tier: chosen }) => ITERATION_LIMITS[chosen ?? 'standard'],
    stored: 'elsewhere',
    fork: true,
    flag: 'max-iterations',
  },
  /** `num_ctx` (C7): context window; lowered if the model's maximum is lower. */
  window_tokens: {
    type: 'number',
    whole: true,
    min: 256,
    max: 2_000_000,
    label: 'Window',
    help: "Ollama's num_ctx.",
    unit: 'tokens',
    default: () => DEFAULT_WINDOW_TOKENS,
    stored: 'always',
    fork: true,
  },
  /** Share of the window at which older results are shortened (C2). */
  compact_at: {
    type: 'number',
    min: 0.1,
    max: 1,
    modes: ['task'],
    label: 'Shorten results at',
    unit: 'share of the window',
    default: (basis) => own(basis).compact_at,
    stored: 'always',
  },
  /** Max characters of a single result once shortening older ones is not enough (C6). */
  result_chars: {
    type: 'number',
    whole: true,
    min: 200,
    max: 1_000_000,
    modes: ['task'],
    label: 'Max result length',
    unit: 'characters',
    // Three results of 8000 characters would fill a small window.
    default: ({ window_tokens: window = DEFAULT_WINDOW_TOKENS }) =>
      Math.max(200, Math.min(8000, Math.floor(window / 4))),
    stored: 'always',
  },
  /** First and second reply limit in tokens (T20, T21). */
  num_predict: {
    type: 'other',
    label: 'Reply limit',
    unit: 'tokens',
    default: (basis): [number, number] => [...own(basis).num_predict],
    stored: 'always',
    fork: true,
  },
  call_timeout_seconds: {
    ...timeLimit,
    label: 'Call timeout',
    unit: 'seconds',
    default: () => 120,
    stored: 'elsewhere',
    fork: true,
    form: { min: 1 },
  },
  load_timeout_seconds: {
    ...timeLimit,
    label: 'Load timeout',
    unit: 'seconds',
    default: () => 600,
    stored: 'elsewhere',
    form: { min: 1 },
  },
  /** How long a run waits for a server that is down; 0: not at all. */
  server_wait_seconds: {
    type: 'number',
    whole: true,
    min: 0,
    max: 86_400,
    unit: 'seconds',
    label: 'Wait for Ollama',
    help: 'If Ollama is down, the run waits for it this long. 0: the run fails at once.',
    default: () => 600,
    fork: true,
    form: { unit: 'minutes', scale: 60 },
  },
  /** The server also turns it off for a run without tools. */
  stall_guard: {
    type: 'switch',
    modes: ['task'],
    label: 'Stall guard',
    help: 'Ends the run after too many iterations in a row in which no file is written and nothing new is read.',
    default: (basis) => own(basis).stall_guard,
    stored: 'always',
    fork: true,
  },
  /** Iterations in a row without new information that end a task (G10, G11). */
  stall_threshold: {
    type: 'number',
    whole: true,
    min: 1,
    max: 100,
    modes: ['task'],
    label: 'Iterations without new information',
    default: () => 5,
    stored: 'always',
    fork: true,
  },
  /** Iterations with the same calls in a row that end a task; the last is not run (G7). */
  repetition_threshold: {
    type: 'number',
    whole: true,
    min: 2,
    max: 20,
    modes: ['task'],
    label: 'Identical calls in a row',
    help: 'Then the run ends.',
    default: () => 3,
    stored: 'always',
    fork: true,
  },
  /** Nudges of an attempt, after which a plan counts as the answer and silence ends it (G15). */
  max_nudges: {
    type: 'number',
    whole: true,
    min: 0,
    max: 20,
    modes: ['task'],
    label: 'Max nudges',
    help: 'For replies that are empty or only announce work.',
    default: () => 2,
    stored: 'always',
    fork: true,
  },
  /** The last iterations, which compaction never shortens (C3). */
  keep_rounds: {
    type: 'number',
    whole: true,
    min: 1,
    max: 20,
    modes: ['task'],
    label: 'Iterations kept in full',
    help: 'Counted from the last.',
    default: () => 3,
    stored: 'always',
    fork: true,
  },
  /** Missing in older logs. */
  max_empty_replies: {
    type: 'number',
    whole: true,
    min: 1,
    max: 100,
    modes: endless,
    label: 'Empty replies in a row',
    help: 'Then the run ends: a session on autopilot, or an exploration without a cycle limit.',
    default: () => DEFAULT_MAX_EMPTY_REPLIES,
    fork: true,
  },
  nudge_plans: {
    type: 'switch',
    modes: ['task'],
    label: 'Nudge when it only plans',
    help: 'A reply that only announces work is answered with the request to do it.',
    default: (basis) => own(basis).nudge_plans,
    stored: 'always',
    fork: true,
  },
  budget: { type: 'other', label: 'Budget', default: (): Budget => ({}), stored: 'always', fork: true },
  checks: {
    type: 'other',
    modes: ['task'],
    singleAnswer: true,
    label: 'Checks',
    default: (): [] => [],
    stored: 'always',
  },
  /** The JSON schema of the answer (Ollama's `format`): the answer is data that fits it. */
  answer_schema: {
    type: 'other',
    modes: ['task'],
    singleAnswer: true,
    label: 'Answer as JSON (schema)',
    help: 'The answer must be JSON that fits a schema.',
    fork: true,
    flag: 'answer-schema',
    isJson: true,
  },
  /** Max attempts, including the first, if checks fail (V7). */
  max_attempts: {
    type: 'number',
    whole: true,
    min: 1,
    max: 10,
    modes: ['task'],
    singleAnswer: true,
    label: 'Max attempts',
    default: (basis) => own(basis).max_attempts,
    stored: 'always',
    fork: true,
  },
  /** Stream replies and show text as it is generated (K-21). */
  live_tokens: {
    type: 'switch',
    // Always streamed (T10).
    singleAnswer: false,
    label: 'Live tokens',
    help: 'Show text while the model writes it.',
    default: (basis) => own(basis).live_tokens,
    stored: 'always',
    fork: true,
  },
  think: {
    type: 'other',
    label: 'Thinking',
    default: (): ThinkSetting => false,
    stored: 'always',
    fork: true,
  },
  keep_alive: {
    type: 'other',
    label: 'Keep loaded for',
    help: "Ollama's keep_alive: a duration such as 30m, a number of seconds, or -1 to keep it loaded.",
    default: (): string | number => '30m',
    stored: 'always',
  },
  /** Ollama options besides `num_ctx` and `num_predict`: temperature, seed, … */
  model_options: {
    type: 'other',
    label: 'Model options',
    default: (): Record<string, OptionValue> => ({}),
    stored: 'always',
  },
  parser_layers: {
    type: 'other',
    singleAnswer: false,
    label: 'Parser layers',
    default: (basis): ParserLayer[] => [...own(basis).parser_layers],
    stored: 'elsewhere',
    field: false,
  },
  /** Default and max duration of a command (O7). */
  shell_timeout_secs: {
    type: 'number',
    whole: true,
    min: 1,
    max: 86_400,
    modes: usesFiles,
    label: 'Command timeout',
    unit: 'seconds',
    field: false,
  },
  /** In addition to the built-in ones (O6). */
  blocked_patterns: { type: 'other', modes: usesFiles, label: 'Blocked commands', field: false },
  /** The built-in tools that the model gets; by default all of the mode. */
  tools: {
    type: 'other',
    modes: usesTools,
    label: 'Offered tools',
    fork: true,
    flag: 'tools',
    isList: true,
  },
  /** Made-up tools offered after the real ones; their calls fail. Missing: none. */
  distractor_tools: {
    type: 'number',
    whole: true,
    min: 0,
    max: DISTRACTOR_NAMES.length,
    modes: ['task'],
    label: 'Distractor tools',
    help: 'Made-up tools beside the real ones, to see how the model chooses.',
    form: { empty: 'none' },
    flag: 'distractor-tools',
  },
  /**
   * The hosts that `fetch_url` may contact; no others, and no address of this machine or a private network unless
   * listed.
   */
  fetch_hosts: {
    type: 'other',
    modes: usesFiles,
    label: 'Hosts for fetch_url',
    help: 'Names or addresses, with a port if it is not 80 or 443. No other host is contacted.',
    fork: true,
    flag: 'fetch-hosts',
    isList: true,
  },
  /** By default, every call runs without approval. */
  approval: { type: 'other', singleAnswer: false, label: 'Approval', stored: 'elsewhere' },
  /** The run ends when its conversation exceeds this limit: as measured, or by four characters per token (C8). */
  context_limit: {
    type: 'number',
    whole: true,
    min: 64,
    max: 2_000_000,
    modes: endless,
    label: 'Conversation limit',
    unit: 'tokens',
    default: ({ window_tokens: window = DEFAULT_WINDOW_TOKENS }) => window,
    stored: 'elsewhere',
    fork: true,
    form: { empty: 'the window' },
  },
  /**
   * Share of the conversation limit at which the model summarizes and continues in a fresh context. Missing or `null`:
   * never.
   */
  handover_at: {
    type: 'number',
    nullable: true,
    min: 0.1,
    max: 0.95,
    modes: endless,
    label: 'Hand over at',
    unit: 'share of the window',
    help: 'Then the model writes a summary and continues in a fresh context that begins with it.',
    fork: true,
    form: { empty: 'off' },
  },
  /** Pause between two turns (S16). */
  turn_delay: {
    type: 'number',
    whole: true,
    min: 0,
    max: 86_400_000,
    modes: ['session'],
    label: 'Pause between turns',
    unit: 'milliseconds',
    default: () => 0,
    stored: 'elsewhere',
    fork: true,
    form: { unit: 'seconds', scale: 1000, empty: 'none' },
  },
  /** Whether the session continues on its own after an answer, or waits for the operator. Older logs: it continues. */
  autopilot: {
    type: 'switch',
    modes: ['session'],
    label: 'Autopilot',
    help: 'The session continues on its own after each answer. Off: it waits for your next message.',
    default: () => false,
    fork: true,
    flag: 'autopilot',
  },
  /** Turns without a message after which autopilot waits. */
  autopilot_turns: {
    type: 'number',
    whole: true,
    min: 1,
    max: 1_000_000,
    modes: ['session'],
    label: 'Autopilot turns',
    help: 'Then the session waits for you.',
    default: () => 50,
    fork: true,
  },
  /** Working time without a message after which autopilot waits. */
  autopilot_seconds: {
    type: 'number',
    above: 0,
    max: 31_536_000,
    modes: ['session'],
    label: 'Autopilot time',
    help: 'Then the session waits for you.',
    unit: 'seconds',
    default: () => 3600,
    fork: true,
    form: { unit: 'minutes', scale: 60, min: 0.01 },
  },
  /** Whether the session ends where it would wait for a message. Missing in older logs: it waits. */
  unattended: {
    type: 'switch',
    modes: ['session'],
    label: 'End instead of waiting',
    help: 'The session ends where it would wait for a message from you.',
    default: () => false,
    fork: true,
  },
  /** `null`: no limit (X22). */
  max_cycles: {
    type: 'number',
    whole: true,
    min: 1,
    max: 1000,
    nullable: true,
    modes: ['explore'],
    label: 'Cycles',
    default: (): number | null => 20,
    stored: 'elsewhere',
    fork: true,
  },
  calls_per_cycle: {
    type: 'number',
    whole: true,
    min: 1,
    max: 1000,
    modes: ['explore'],
    label: 'Model calls per cycle',
    default: () => 50,
    stored: 'elsewhere',
    fork: true,
  },
  /** Whether a cycle opens with the line `Cycle {n}.` (X23). */
  cycle_line: {
    type: 'switch',
    modes: ['explore'],
    label: 'Open each cycle with its number',
    help: 'A neutral line such as “Cycle 3.” Without it, the model continues from its own last text.',
    default: () => true,
    stored: 'elsewhere',
  },
  /** Off by default. */
  diversity: {
    type: 'other',
    modes: ['explore'],
    label: 'Advise on diversity',
    help: 'Compares each reflection with earlier ones and tells the model when it repeats itself.',
    stored: 'elsewhere',
  },
  /** Who answers the agent's messages besides a person, who always can. */
  operator_policy: {
    type: 'choice',
    options: OPERATOR_POLICIES,
    modes: ['explore'],
    label: 'Replies to messages',
    default: (): OperatorPolicy => 'none',
    fork: true,
  },
  /** The reply of `fixed`, or the replies of `list`, in order. In logs of forks, `fixed` may have several: it sends the first. */
  operator_replies: {
    type: 'other',
    modes: ['explore'],
    label: 'Replies',
    fork: true,
    isJson: true,
  },
  /** The model that answers with `operator_policy: model`. */
  operator_model: { type: 'other', modes: ['explore'], label: 'Replying model', fork: true },
  /** Its system prompt. */
  operator_prompt: { type: 'other', modes: ['explore'], label: 'Prompt of the replying model', fork: true },
  /** Off: similarity is recorded, but the model is not told. */
  diversity_feedback: {
    type: 'switch',
    modes: ['explore'],
    label: 'Tell the model',
    help: 'Off: similarity is measured and recorded, but the model gets no feedback.',
    default: () => true,
    fork: true,
  },
} as const satisfies Record<string, SettingFacts>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

/** Empty replies in a row that end a run; older logs lack the setting. */
export function maxEmptyReplies(config: { readonly max_empty_replies?: number }): number {
  return config.max_empty_replies ?? DEFAULT_MAX_EMPTY_REPLIES;
}

/** The settings in the order of their declaration. */
export const SETTING_NAMES: readonly SettingName[] = keysOf(SETTINGS);

/** The names of the settings of which these facts are declared. */
export type SettingsWith<Facts> = {
  [Name in SettingName]: Settings[Name] extends Facts ? Name : never;
}[SettingName];

/** The facts of a setting, whichever it is. */
function settingFacts(name: SettingName): SettingFacts {
  return SETTINGS[name];
}

/** The settings that a fork can change. */
export const FORK_SETTINGS = SETTING_NAMES.filter(
  (name) => settingFacts(name).fork,
) as readonly SettingsWith<{
  fork: true;
}>[];

/** The settings that forms have no field for. */
export type KeptSetting = SettingsWith<{ field: false }>;
export const KEPT_SETTINGS = SETTING_NAMES.filter(
  (name) => settingFacts(name).field === false,
) as readonly KeptSetting[];

/** The modes that have a setting; `undefined` if all do. */
export function modesWithSetting(name: string): readonly RunMode[] | undefined {
  const found = SETTING_NAMES.find((known) => known === name);
  return found && settingFacts(found).modes;
}

/** Whether a mode has a setting. */
export function isSettingOf(mode: RunMode, name: string): boolean {
  return modesWithSetting(name)?.includes(mode) ?? true;
}

/** Whether a kind of run has a setting: a single answer has few that only some modes have. */
export function offersSetting(kind: RunKind, name: SettingName): boolean {
  if (kind !== 'prompt') return isSettingOf(kind, name);
  const { modes, singleAnswer = modes === undefined } = settingFacts(name);
  return singleAnswer;
}

/** Whether a field of a request has an effect on a kind of run, as far as that is a matter of settings. */
export function hasEffectOn(kind: RunKind, field: string): boolean {
  const setting = SETTING_NAMES.find((name) => name === field);
  return setting === undefined || offersSetting(kind, setting);
}

/** The defaults of the settings that have one; the only place where one setting depends on another. Pure. */
export function defaultSettings(basis: DefaultsBasis) {
  const values = SETTING_NAMES.flatMap((name) => {
    const value = settingFacts(name).default?.(basis);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values) as {
    [Name in SettingsWith<{ default: unknown }>]: ReturnType<Settings[Name]['default']>;
  };
}

type HasField<Name extends SettingName> = Exclude<Name, SettingsWith<{ field: false }>>;
/** The settings that forms take as a number. */
export type NumberSetting = HasField<SettingsWith<{ type: 'number' }>>;
/** The settings that forms take as a switch. */
export type SwitchSetting = HasField<SettingsWith<{ type: 'switch' }>>;

const isFieldOf = (type: SettingFacts['type']) => (name: SettingName) =>
  settingFacts(name).type === type && settingFacts(name).field !== false;

export const NUMBER_SETTING_NAMES = SETTING_NAMES.filter(isFieldOf('number')) as readonly NumberSetting[];
export const SWITCH_SETTINGS = SETTING_NAMES.filter(isFieldOf('switch')) as readonly SwitchSetting[];
export const NUMBER_SETTINGS = Object.fromEntries(
  NUMBER_SETTING_NAMES.map((name) => [name, settingFacts(name)]),
) as unknown as Readonly<Record<NumberSetting, NumberFacts>>;

/** The settings stored in every configuration, even if its mode does not use them. */
export const STORED_ALWAYS = SETTING_NAMES.filter(
  (name) => settingFacts(name).stored === 'always',
) as readonly SettingsWith<{ stored: 'always' }>[];

/** The settings stored under their own names if they have a value. */
export const STORED_IF_SET = SETTING_NAMES.filter(
  (name) => settingFacts(name).stored === undefined,
) as readonly Exclude<SettingName, SettingsWith<{ stored: 'always' | 'elsewhere' }>>[];

export const MODEL_OPTION_NAMES: readonly (keyof typeof MODEL_OPTIONS)[] = keysOf(MODEL_OPTIONS);

/** Prefix of a model option in the name of an experiment's factor: `model_options.top_p`. */
export const OPTION_PREFIX = 'model_options.';

/** The limits of a number as text: `a whole number from 1 to 100`, `a number above 0 and at most 86,400`. */
export function describeRange({ whole, above, min, max }: NumberRange): string {
  const kind = whole ? 'a whole number' : 'a number';
  if (min !== undefined && max !== undefined)
    return `${kind} from ${formatNumber(min)} to ${formatNumber(max)}`;
  const limits = [
    ...(above === undefined ? [] : [`above ${formatNumber(above)}`]),
    ...(min === undefined ? [] : [`of at least ${formatNumber(min)}`]),
    ...(max === undefined ? [] : [`${above === undefined ? 'of ' : ''}at most ${formatNumber(max)}`]),
  ];
  return [kind, limits.join(' and ')].filter(Boolean).join(' ');
}

/** The limits of a number as forms take it, in the unit of the field. */
export function formLimits({ min, max, above, whole, form = {} }: NumberFacts) {
  const { scale = 1 } = form;
  return {
    min: form.min ?? (min ?? above ?? 0) / scale,
    max: form.max ?? (max ?? Number.MAX_SAFE_INTEGER) / scale,
    whole: whole === true && scale === 1,
  };
}

/** Whether a value is a number within its limits, in its own unit. */
export function isWithin({ min, max, above, whole }: NumberFacts, value: unknown): value is number {
  return (
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (!whole || Number.isSafeInteger(value)) &&
    value >= (min ?? -Infinity) &&
    value <= (max ?? Infinity) &&
    value > (above ?? -Infinity)
  );
}
