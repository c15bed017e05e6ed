import type { CreateRunRequest } from '../../api/create-run.ts';
import { namedOptions } from '../../api/named-options.ts';
import type { HealthReply } from '../../api/replies.ts';
import {
  askedSettings,
  defaultSecondReplyLimit,
  defaultSettings,
  type RunSettings,
} from '../../api/run-settings.ts';
import type { RunConfig, RunMode } from '../../events/config.ts';
import { kindFacts, kindOf, MODES, modeAndTools, type RunKind } from '../../events/modes.ts';
import { withoutNamedOptions } from '../../events/sent-options.ts';
import { formatNumber } from '../../util/numbers.ts';
import { KIND_WORDS } from '../words/mode-words.ts';
import { chosenFolder, type FormerRun } from './repeat-run.ts';

export type DraftCheck =
  | { type: 'command'; command: string }
  | { type: 'file_exists'; path: string }
  | { type: 'file_contains'; path: string; text: string };

/** The tools that the form has a rule for. */
const APPROVAL_TOOLS = MODES.task.tools;
export type ApprovalTool = (typeof APPROVAL_TOOLS)[number];
export type ApprovalChoice = 'auto' | 'ask' | 'deny';

/** The new-run form as it is filled in. Numbers stay text until the run is started; empty means "as usual". */
export interface RunDraft {
  kind: RunKind;
  task: string;
  model: string;
  workspaceKind: 'fresh' | 'folder';
  workspace: string;
  tier: 'trivial' | 'standard' | 'complex';
  maxIterations: string;
  stallGuard: 'usual' | 'on' | 'off';
  nudgePlans: boolean;
  liveTokens: boolean;
  think: ThinkWord;
  maxTokens: string;
  maxMinutes: string;
  maxCost: string;
  /** What becomes of calls, by tool; a tool that is not named runs. */
  approval: Partial<Record<ApprovalTool, ApprovalChoice>>;
  checks: DraftCheck[];
  maxAttempts: string;
  windowTokens: string;
  temperature: string;
  seed: string;
  topP: string;
  topK: string;
  keepAlive: string;
  callTimeout: string;
  loadTimeout: string;
  predictFirst: string;
  predictSecond: string;
  compactAt: string;
  resultChars: string;
  system: string;
  contextLimit: string;
  /** Seconds between two turns of a session (S16). */
  turnDelay: string;
  maxCycles: string;
  /** An exploration without a cycle limit (X22). */
  untilStopped: boolean;
  callsPerCycle: string;
  cycleLine: boolean;
  diversity: boolean;
  diversityThreshold: string;
  diversityWindow: string;
  embeddingModel: string;
  /** Ollama options that the form has no field for, kept from the run it was made from. */
  otherOptions: Record<string, number | string | boolean>;
  /** Settings that the form has no field for, kept from the run it was made from. */
  otherSettings: Pick<RunSettings, 'parser_layers' | 'shell_timeout_secs' | 'blocked_patterns' | 'approval'>;
}

export const emptyDraft: RunDraft = {
  kind: 'task',
  task: '',
  model: '',
  workspaceKind: 'fresh',
  workspace: '',
  tier: 'standard',
  maxIterations: '',
  stallGuard: 'usual',
  nudgePlans: true,
  liveTokens: false,
  think: 'off',
  maxTokens: '',
  maxMinutes: '',
  maxCost: '',
  approval: {},
  checks: [],
  maxAttempts: '',
  windowTokens: '',
  temperature: '',
  seed: '',
  topP: '',
  topK: '',
  keepAlive: '',
  callTimeout: '',
  loadTimeout: '',
  predictFirst: '',
  predictSecond: '',
  compactAt: '',
  resultChars: '',
  system: '',
  contextLimit: '',
  turnDelay: '',
  maxCycles: '',
  untilStopped: false,
  callsPerCycle: '',
  cycleLine: true,
  diversity: false,
  diversityThreshold: '',
  diversityWindow: '',
  embeddingModel: '',
  otherOptions: {},
  otherSettings: {},
};

type DraftField = keyof RunDraft;
export type DraftProblems = Partial<Record<DraftField, string>>;

/** Reads a draft: the request, or the problems by field. Pure. */
export function requestOf(
  draft: RunDraft,
): { ok: true; request: CreateRunRequest } | { ok: false; problems: DraftProblems } {
  const problems: DraftProblems = {};
  const number = (field: DraftField & keyof TextFields, limits: NumberLimits): number | undefined => {
    const text = draft[field].trim();
    if (text === '') return undefined;
    const value = Number(text);
    const { min, max, whole } = limits;
    if (!Number.isFinite(value) || value < min || value > max || (whole && !Number.isInteger(value))) {
      problems[field] = `${whole ? 'A whole number' : 'A number'} from ${min} to ${formatNumber(max)}.`;
      return undefined;
    }
    return value;
  };

  const { kind } = draft;
  const { mode, agentic } = modeAndTools(kind);
  const facts = kindFacts(kind);
  if (facts.task === 'required' && draft.task.trim() === '') {
    problems.task = KIND_WORDS[kind].task?.missing ?? 'Say what the agent should do.';
  }
  if (draft.model === '') problems.model = 'Choose a model.';
  const folder = facts.usesFiles && draft.workspaceKind === 'folder';
  if (folder && !/^(\/|[A-Za-z]:[\\/])/.test(draft.workspace.trim())) {
    problems.workspace = 'The whole path of an existing folder, beginning with a slash.';
  }
  const checks = facts.settings.includes('checks') ? draft.checks : [];
  if (checks.some((check) => Object.values(check).some((value) => value.trim() === ''))) {
    problems.checks = 'Fill in every check, or remove it.';
  }
  const options: Record<string, number | string | boolean> = { ...draft.otherOptions };
  const option = (name: string, value: number | undefined) => {
    if (value !== undefined) options[name] = value;
  };
  option('temperature', number('temperature', { min: 0, max: 5 }));
  option('seed', number('seed', { min: 0, max: 2 ** 31 - 1, whole: true }));
  option('top_p', number('topP', { min: 0, max: 1 }));
  option('top_k', number('topK', { min: 0, max: 1000, whole: true }));

  const maxTokens = number('maxTokens', { min: 1, max: 1e9, whole: true });
  const maxMinutes = number('maxMinutes', { min: 0.01, max: 100_000 });
  const maxCost = number('maxCost', { min: 0.0001, max: 1e6 });
  const first = number('predictFirst', { min: 1, max: 1_000_000, whole: true });
  const second = number('predictSecond', { min: 1, max: 1_000_000, whole: true });
  const request: CreateRunRequest = {
    mode,
    agentic,
    task: facts.task === 'none' ? undefined : draft.task.trim(),
    model: draft.model,
    workspace: folder ? draft.workspace.trim() : undefined,
    live_tokens: draft.liveTokens,
    think: thinkOf(draft.think),
    window_tokens: number('windowTokens', { min: 256, max: 2_000_000, whole: true }),
    call_timeout_seconds: number('callTimeout', { min: 1, max: 86_400 }),
    load_timeout_seconds: number('loadTimeout', { min: 1, max: 86_400 }),
    num_predict:
      first === undefined && second === undefined ? undefined : replyLimitsOf(draft, first, second),
    keep_alive: draft.keepAlive.trim() === '' ? undefined : draft.keepAlive.trim(),
    model_options: Object.keys(options).length > 0 ? options : undefined,
    ...otherSettingsOf(draft),
    ...OWN_FIELDS[mode].request(draft, number),
    approval: approvalOf(draft),
    budget:
      maxTokens === undefined && maxMinutes === undefined && maxCost === undefined
        ? undefined
        : {
            max_tokens_total: maxTokens,
            max_seconds: maxMinutes === undefined ? undefined : Math.round(maxMinutes * 60 * 100) / 100,
            max_cost_usd: maxCost,
          },
  };
  return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, request };
}

/** Of the settings without a field, those that the kind of run has. */
function otherSettingsOf({ kind, otherSettings }: RunDraft): Partial<CreateRunRequest> {
  const { parser_layers, shell_timeout_secs, blocked_patterns } = otherSettings;
  const { tools, settings } = kindFacts(kind);
  return {
    ...(tools.length === 0 ? {} : { parser_layers }),
    ...(settings.includes('shell_timeout_secs') ? { shell_timeout_secs, blocked_patterns } : {}),
  };
}

function replyLimitsOf(draft: RunDraft, first?: number, second?: number): [number, number] {
  const [usual] = draftDefaults(draft).num_predict;
  return [first ?? usual, second ?? defaultSecondReplyLimit(modeAndTools(draft.kind).mode, first ?? usual)];
}

/** What the fields that are left empty will be, as far as it is known before the run starts. */
export function draftDefaults(draft: RunDraft) {
  const window = Number(draft.windowTokens);
  const first = Number(draft.predictFirst);
  const named = namedOptions({ model_options: draft.otherOptions });
  const defaults = defaultSettings({
    ...modeAndTools(draft.kind),
    tier: draft.tier,
    window_tokens: Number.isInteger(window) && window > 0 ? window : named.window_tokens,
  });
  const [usual, second] = named.num_predict ?? defaults.num_predict;
  return {
    ...defaults,
    ...(named.window_tokens === undefined ? {} : { window_tokens: named.window_tokens }),
    num_predict: [usual, Math.max(second, Number.isInteger(first) ? first : 0)] as const,
  };
}

/** How much a model thinks, as a word of a form. */
export type ThinkWord = 'off' | 'on' | 'low' | 'medium' | 'high';

export function thinkOf(word: ThinkWord): RunConfig['think'] {
  return word === 'on' ? true : word === 'off' ? false : word;
}

export function thinkWord(think: RunConfig['think']): ThinkWord {
  return think === true ? 'on' : think === false ? 'off' : think;
}

type ReadNumber = (
  field: { [K in DraftField]: RunDraft[K] extends string ? K : never }[DraftField],
  limits: NumberLimits,
) => number | undefined;

/** The fields that a mode does not share with all others: what they request, and how a former run fills them in. */
const OWN_FIELDS: Readonly<
  Record<
    RunMode,
    {
      request(draft: RunDraft, number: ReadNumber): Partial<CreateRunRequest>;
      draft(config: RunConfig, asked: RunSettings): Partial<RunDraft>;
    }
  >
> = {
  task: { request: taskFields, draft: taskDraft },
  session: { request: sessionFields, draft: sessionDraft },
  explore: { request: exploreFields, draft: exploreDraft },
};

function taskFields(draft: RunDraft, number: ReadNumber): Partial<CreateRunRequest> {
  const maxIterations = number('maxIterations', { min: 1, max: 100, whole: true });
  const maxAttempts = number('maxAttempts', { min: 1, max: 10, whole: true });
  return {
    tier: draft.tier,
    max_iterations: maxIterations,
    stall_guard: draft.stallGuard === 'usual' ? undefined : draft.stallGuard === 'on',
    nudge_plans: draft.nudgePlans,
    compact_at: number('compactAt', { min: 0.1, max: 1 }),
    result_chars: number('resultChars', { min: 200, max: 1_000_000, whole: true }),
    max_attempts: maxAttempts,
    system: draft.system.trim() === '' ? undefined : draft.system,
    checks:
      kindFacts(draft.kind).settings.includes('checks') && draft.checks.length > 0 ? draft.checks : undefined,
  };
}

function contextLimit(number: ReadNumber): number | undefined {
  return number('contextLimit', { min: 64, max: 2_000_000, whole: true });
}

function sessionFields(_draft: RunDraft, number: ReadNumber): Partial<CreateRunRequest> {
  const context_limit = contextLimit(number);
  const seconds = number('turnDelay', { min: 0, max: 86_400 });
  return { context_limit, turn_delay: seconds === undefined ? undefined : Math.round(seconds * 1000) };
}

function exploreFields(draft: RunDraft, number: ReadNumber): Partial<CreateRunRequest> {
  return {
    context_limit: contextLimit(number),
    max_cycles: draft.untilStopped ? null : number('maxCycles', { min: 1, max: 1000, whole: true }),
    calls_per_cycle: number('callsPerCycle', { min: 1, max: 1000, whole: true }),
    cycle_line: draft.cycleLine,
    diversity: draft.diversity
      ? {
          threshold: number('diversityThreshold', { min: 0, max: 1 }),
          window: number('diversityWindow', { min: 1, max: 50, whole: true }),
          embedding_model: draft.embeddingModel === '' ? undefined : draft.embeddingModel,
        }
      : undefined,
  };
}

/** How commands run on this machine: in the sandbox, without one by the operator's wish, or not at all. */
export type CommandPlace = 'confined' | 'unconfined' | 'off';

export function commandPlace({ available, unconfined }: HealthReply['sandbox']): CommandPlace {
  return unconfined ? 'unconfined' : available ? 'confined' : 'off';
}

/** Tools of this kind of run that the form has a rule for; one that is not offered needs none. */
export function approvalTools(kind: RunKind, commands: CommandPlace = 'confined'): readonly ApprovalTool[] {
  const offered = kindFacts(kind).tools;
  return APPROVAL_TOOLS.filter(
    (tool) => offered.includes(tool) && !(commands === 'off' && tool === 'run_command'),
  );
}

/** The rules there are for a tool, the usual one first. */
export function approvalChoices(tool: ApprovalTool, commands: CommandPlace): readonly ApprovalChoice[] {
  return tool === 'run_command' && commands === 'unconfined' ? ['ask', 'deny'] : ['auto', 'ask', 'deny'];
}

function approvalOf({ kind, approval, otherSettings }: RunDraft): CreateRunRequest['approval'] {
  const ruled = approvalTools(kind);
  if (ruled.length === 0) return kindFacts(kind).tools.length === 0 ? undefined : otherSettings.approval;
  const tools: RunDraft['approval'] = {};
  for (const tool of ruled) {
    const choice = approval[tool];
    if (choice !== undefined && choice !== 'auto') tools[tool] = choice;
  }
  return Object.keys(tools).length > 0 ? { tools } : undefined;
}

interface NumberLimits {
  min: number;
  max: number;
  whole?: boolean;
}

type TextFields = { [K in DraftField as RunDraft[K] extends string ? K : never]: string };

/**
 * The draft that would start a run again. Fields whose setting took its default stay empty, so that the default follows
 * what is changed. The folder is taken over only where a person chose it.
 */
export function draftOf(config: RunConfig, run: FormerRun): RunDraft {
  const kind = kindOf(config);
  const folder = chosenFolder(config, run);
  const { temperature, seed, top_p, top_k, ...otherOptions } = withoutNamedOptions(config.model_options);
  const seconds = config.budget.max_seconds;
  const asked = askedSettings(config);
  const [first, second] = asked.num_predict ?? [];
  const follows = first !== undefined && second === defaultSecondReplyLimit(config.mode, first);
  return {
    ...emptyDraft,
    kind,
    task: config.task,
    model: config.model,
    workspaceKind: folder === undefined ? 'fresh' : 'folder',
    workspace: folder ?? '',
    tier: config.tier,
    ...OWN_FIELDS[config.mode].draft(config, asked),
    liveTokens: config.live_tokens,
    think: thinkWord(config.think),
    maxTokens: text(config.budget.max_tokens_total),
    maxMinutes: seconds === undefined ? '' : String(Math.round((seconds / 60) * 100) / 100),
    maxCost: text(config.budget.max_cost_usd),
    windowTokens: text(asked.window_tokens),
    predictFirst: text(first),
    predictSecond: follows ? '' : text(second),
    temperature: text(temperature),
    seed: text(seed),
    topP: text(top_p),
    topK: text(top_k),
    keepAlive: text(asked.keep_alive),
    callTimeout: text(asked.call_timeout_seconds),
    loadTimeout: text(asked.load_timeout_seconds),
    approval: Object.fromEntries(
      APPROVAL_TOOLS.map((tool) => [
        tool,
        config.approval?.tools?.[tool] ?? config.approval?.default ?? 'auto',
      ]),
    ),
    otherOptions,
    otherSettings: {
      parser_layers: asked.parser_layers,
      shell_timeout_secs: asked.shell_timeout_secs,
      blocked_patterns: asked.blocked_patterns,
      approval: approvalTools(kind).length === 0 ? asked.approval : undefined,
    },
  };
}

function text(value: number | string | boolean | undefined | null): string {
  return value === undefined || value === null ? '' : String(value);
}

function taskDraft(config: RunConfig, asked: RunSettings): Partial<RunDraft> {
  return {
    maxIterations: text(asked.max_iterations),
    stallGuard: asked.stall_guard === undefined ? 'usual' : asked.stall_guard ? 'on' : 'off',
    nudgePlans: config.nudge_plans,
    checks: config.checks,
    maxAttempts: text(asked.max_attempts),
    compactAt: text(asked.compact_at),
    resultChars: text(asked.result_chars),
    system: config.system ?? '',
  };
}

function sessionDraft(_config: RunConfig, asked: RunSettings): Partial<RunDraft> {
  return {
    contextLimit: text(asked.context_limit),
    turnDelay: asked.turn_delay ? String(asked.turn_delay / 1000) : '',
  };
}

function exploreDraft({ explore }: RunConfig, asked: RunSettings): Partial<RunDraft> {
  const diversity = explore?.diversity;
  return {
    contextLimit: text(asked.context_limit),
    maxCycles: text(asked.max_cycles),
    untilStopped: explore?.max_cycles === null,
    callsPerCycle: text(asked.calls_per_cycle),
    cycleLine: explore?.cycle_line ?? true,
    diversity: diversity !== undefined,
    diversityThreshold: text(diversity?.threshold),
    diversityWindow: text(diversity?.window),
    embeddingModel: diversity?.embedding_model ?? '',
  };
}
