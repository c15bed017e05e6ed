import type { CreateRunRequest } from '../../api/create-run.ts';
import { namedOptions } from '../../api/named-options.ts';
import type { HealthReply } from '../../api/replies.ts';
import { askedSettings, definedOf, type RunSettings, settingsOf } from '../../api/run-settings.ts';
import { offersServers } from '../../api/tools.ts';
import { withoutUnused } from '../../api/unused-fields.ts';
import { FETCH_TOOL, isAddedTool } from '../../events/added-tools.ts';
import { APPROVAL_CHOICES, type ApprovalChoice } from '../../events/approval-choices.ts';
import type { RunConfig, RunMode } from '../../events/config.ts';
import { fetchHostProblem, splitHosts } from '../../events/fetch-hosts.ts';
import { DEFAULT_MODE, kindFacts, kindOf, MODES, modeAndTools, type RunKind } from '../../events/modes.ts';
import { withoutNamedOptions } from '../../events/sent-options.ts';
import type { OptionValue } from '../../events/setting-values.ts';
import {
  defaultSecondReplyLimit,
  defaultSettings,
  isSettingOf,
  KEPT_SETTINGS,
  type KeptSetting,
  MODEL_OPTION_NAMES,
  NUMBER_SETTING_NAMES,
  offersSetting,
  SETTING_NAMES,
  SWITCH_SETTINGS,
  type SwitchSetting,
  type Tier,
} from '../../events/settings.ts';
import { fillIn, placeholderNames } from '../../util/placeholders.ts';
import { recordOf } from '../../util/records.ts';
import { KIND_WORDS } from '../words/mode-words.ts';
import { readAnswerSchema } from './answer-schema.ts';
import { type DraftCheck, draftOfCheck, readChecks } from './check-draft.ts';
import type { DraftImage } from './draft-images.ts';
import { isWholePath } from './folder-path.ts';
import { NUMBER_FIELD_NAMES, type NumberFieldName, readNumber, writtenNumber } from './number-fields.ts';
import { emptyOperator, type OperatorDraft, operatorDraft, operatorFields } from './operator-draft.ts';
import { chosenFolder, type FormerRun } from './repeat-run.ts';
import { type ThinkWord, thinkOf, thinkWord } from './think-word.ts';

/** The tools that the form has a rule for. */
const APPROVAL_TOOLS = MODES.task.tools;
export type ApprovalTool = (typeof APPROVAL_TOOLS)[number];

export const WORKSPACE_KINDS = ['fresh', 'folder'] as const;
export const STALL_GUARD_CHOICES = ['usual', 'on', 'off'] as const;

/** Switches whose position is requested; the stall guard has a third one, its default. */
export type PlainSwitch = Exclude<SwitchSetting, 'stall_guard'>;
export const PLAIN_SWITCHES = SWITCH_SETTINGS.filter((name): name is PlainSwitch => name !== 'stall_guard');

/**
 * The new-run form as it is filled in: a setting under its name in the API. Numbers stay text, in the unit of the field,
 * until the run is started; empty means the default.
 */
export interface RunDraft
  extends Record<NumberFieldName, string>,
    Record<PlainSwitch, boolean>,
    OperatorDraft {
  kind: RunKind;
  task: string;
  /** Attached to the task, in base64. */
  images: readonly DraftImage[];
  /** The values for the placeholders of the task; `null` if the task is plain text. */
  placeholders: Record<string, string> | null;
  model: string;
  workspaceKind: (typeof WORKSPACE_KINDS)[number];
  workspace: string;
  /** Whether an existing folder is copied, and stays unchanged. */
  workspace_copy: boolean;
  tier: Tier;
  stall_guard: (typeof STALL_GUARD_CHOICES)[number];
  think: ThinkWord;
  /** Built-in tools that the model does not get, including those of other kinds of run. */
  withheldTools: readonly string[];
  /** Tools of MCP servers and optional ones that the model gets. */
  addedTools: readonly string[];
  /** The hosts that `fetch_url` may ask, as they were written. */
  fetch_hosts: string;
  /** What happens to calls, by tool; other built-in tools run without asking. */
  approval: Readonly<Record<string, ApprovalChoice>>;
  checks: DraftCheck[];
  /** The JSON schema of the answer; empty if it may be any text. */
  answer_schema: string;
  keep_alive: string;
  system: string;
  /** An exploration without a cycle limit (X22). */
  untilStopped: boolean;
  diversity: boolean;
  embeddingModel: string;
  /** Ollama options that the form has no field for, kept from the run it was made from. */
  otherOptions: Record<string, OptionValue>;
  /** Settings that the form has no field for, kept from the run it was made from. */
  otherSettings: Pick<RunSettings, KeptSetting | 'approval'>;
}

/** Where a run works, according to its draft. */
export type FolderChoice = Pick<RunDraft, 'workspaceKind' | 'workspace' | 'workspace_copy'>;

const switches = defaultSettings({ mode: DEFAULT_MODE, agentic: true });

export const emptyDraft: RunDraft = {
  ...numbersOf(() => ''),
  ...switchesOf((name) => switches[name]),
  ...emptyOperator,
  kind: 'task',
  task: '',
  images: [],
  placeholders: null,
  model: '',
  workspaceKind: 'fresh',
  workspace: '',
  // The API works in the folder itself unless asked for a copy; a person who clicks is asked to opt out (decision 49).
  workspace_copy: true,
  tier: 'standard',
  stall_guard: 'usual',
  think: 'off',
  withheldTools: [],
  addedTools: [],
  fetch_hosts: '',
  approval: {},
  checks: [],
  answer_schema: '',
  keep_alive: '',
  system: '',
  untilStopped: false,
  diversity: false,
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
  const number: ReadNumber = (field) => {
    if (field === 'max_cycles' && draft.untilStopped) return undefined;
    const read = readNumber(field, draft[field]);
    if (read.ok) return read.value;
    problems[field] = read.problem;
    return undefined;
  };

  const { kind } = draft;
  const { mode, agentic } = modeAndTools(kind);
  const facts = kindFacts(kind);
  if (facts.task === 'required' && draft.task.trim() === '') {
    problems.task = KIND_WORDS[kind].task?.missing ?? 'Say what the agent should do.';
  }
  if (facts.task !== 'none' && draft.images.length > 0 && draft.task.trim() === '') {
    problems.task ??= 'Say what the images are for.';
  }
  const blank = blankPlaceholders(draft);
  if (blank.length > 0) problems.placeholders = `Fill in ${blank.join(' and ')}.`;
  if (draft.model === '') problems.model = 'Choose a model.';
  const folder = facts.usesFiles && draft.workspaceKind === 'folder';
  if (folder && !isWholePath(draft.workspace.trim())) {
    problems.workspace = 'Enter the full path of an existing folder, starting with / or ~/.';
  }
  const checks = readChecks(kind, draft.checks);
  if (!checks.ok) problems.checks = checks.problem;
  const answer = readAnswerSchema(offersSetting(kind, 'answer_schema') ? draft.answer_schema : '');
  if (!answer.ok) problems.answer_schema = answer.problem;
  const offered = offeredTools(draft);
  const added = addedToolsOf(draft);
  const hosts = added.includes(FETCH_TOOL) ? splitHosts(draft.fetch_hosts) : undefined;
  if (hosts) {
    const wrong = hosts.flatMap((host) => fetchHostProblem(host) ?? []);
    if (hosts.length === 0) problems.fetch_hosts = 'List the hosts that fetch_url may contact.';
    else if (wrong[0] !== undefined) problems.fetch_hosts = wrong[0];
  }
  if (offered.length + added.length === 0 && facts.tools.length > 0) {
    problems.withheldTools = 'Choose at least one tool, or a quick prompt.';
  }
  const options: Record<string, OptionValue> = { ...draft.otherOptions };
  for (const name of MODEL_OPTION_NAMES) {
    const value = number(name);
    if (value !== undefined) options[name] = value;
  }
  const limits = definedOf({
    max_tokens_total: number('max_tokens_total'),
    max_seconds: number('max_seconds'),
    max_cost_usd: number('max_cost_usd'),
  });
  const operator = mode === 'explore' ? operatorFields(draft) : undefined;
  Object.assign(problems, operator?.problems);
  const first = number('predict_first');
  const second = number('predict_second');
  const request: CreateRunRequest = {
    mode,
    agentic,
    task: facts.task === 'none' ? undefined : filledTask(draft),
    images: facts.task === 'none' || draft.images.length === 0 ? undefined : [...draft.images],
    model: draft.model,
    workspace: folder ? draft.workspace.trim() : undefined,
    workspace_copy: folder && draft.workspace_copy ? true : undefined,
    ...numberSettings(mode, number),
    ...switchSettings(mode, draft),
    think: thinkOf(draft.think),
    num_predict:
      first === undefined && second === undefined ? undefined : replyLimitsOf(draft, first, second),
    keep_alive: draft.keep_alive.trim() === '' ? undefined : draft.keep_alive.trim(),
    model_options: Object.keys(options).length > 0 ? options : undefined,
    ...otherSettingsOf(draft),
    ...OWN_FIELDS[mode].request(draft, number),
    ...operator?.request,
    checks: checks.ok && checks.checks.length > 0 ? checks.checks : undefined,
    answer_schema: answer.ok ? answer.schema : undefined,
    tools: offered.length < facts.tools.length || added.length > 0 ? [...offered, ...added] : undefined,
    fetch_hosts: hosts,
    approval: approvalOf(draft),
    budget: Object.keys(limits).length > 0 ? limits : undefined,
  };
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  // Fields of a task keep their values when the form turns into that of a quick prompt.
  return { ok: true, request: withoutUnused(request) };
}

/** The names in a template that have no value yet. */
function blankPlaceholders({ kind, task, placeholders }: RunDraft): string[] {
  if (placeholders === null || kindFacts(kind).task === 'none') return [];
  return placeholderNames(task).filter((name) => !placeholders[name]?.trim());
}

function filledTask({ task, placeholders }: RunDraft): string {
  return (placeholders === null ? task : fillIn(task, new Map(Object.entries(placeholders)))).trim();
}

/** The numbers that are settings of the mode. */
function numberSettings(mode: RunMode, number: ReadNumber): Partial<CreateRunRequest> {
  const names = NUMBER_SETTING_NAMES.filter((name) => isSettingOf(mode, name));
  return Object.fromEntries(names.map((name) => [name, number(name)]));
}

function switchSettings(mode: RunMode, draft: RunDraft): Partial<CreateRunRequest> {
  return Object.fromEntries(
    PLAIN_SWITCHES.filter((name) => isSettingOf(mode, name)).map((name) => [name, draft[name]]),
  );
}

/** Of the settings without a field, those that the kind of run has. */
function otherSettingsOf({ kind, otherSettings }: RunDraft): Partial<CreateRunRequest> {
  const { approval: _, ...others } = otherSettings;
  const own = SETTING_NAMES.filter((name) => offersSetting(kind, name) && name in others);
  return Object.fromEntries(own.map((name) => [name, (others as RunSettings)[name]]));
}

function replyLimitsOf(draft: RunDraft, first?: number, second?: number): [number, number] {
  const [usual] = draftDefaults(draft).num_predict;
  return [first ?? usual, second ?? defaultSecondReplyLimit(modeAndTools(draft.kind).mode, first ?? usual)];
}

/** The values of empty fields, as far as they are known before the run starts. */
export function draftDefaults(draft: RunDraft) {
  const window = Number(draft.window_tokens);
  const first = Number(draft.predict_first);
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

type ReadNumber = (field: NumberFieldName) => number | undefined;

/** The fields that a mode does not share with all others: what they request, and how a former run fills them in. */
const OWN_FIELDS: Readonly<
  Record<
    RunMode,
    {
      request(draft: RunDraft, number: ReadNumber): Partial<CreateRunRequest>;
      draft(effective: RunSettings, asked: RunSettings): Partial<RunDraft>;
    }
  >
> = {
  task: { request: taskFields, draft: taskDraft },
  session: { request: () => ({}), draft: () => ({}) },
  explore: { request: exploreFields, draft: exploreDraft },
};

function taskFields(draft: RunDraft): Partial<CreateRunRequest> {
  return {
    tier: draft.tier,
    stall_guard: draft.stall_guard === 'usual' ? undefined : draft.stall_guard === 'on',
    system: draft.system.trim() === '' ? undefined : draft.system,
  };
}

function exploreFields(draft: RunDraft, number: ReadNumber): Partial<CreateRunRequest> {
  return {
    ...(draft.untilStopped ? { max_cycles: null } : {}),
    diversity: draft.diversity
      ? {
          threshold: number('diversity_threshold'),
          window: number('diversity_window'),
          embedding_model: draft.embeddingModel === '' ? undefined : draft.embeddingModel,
        }
      : undefined,
  };
}

/** How commands run on this machine: in the sandbox, without one by the operator's wish, or not at all. */
export type CommandPlace = 'confined' | 'unconfined' | 'off';

export function commandPlace({
  available,
  unconfined,
}: Pick<HealthReply['sandbox'], 'available' | 'unconfined'>): CommandPlace {
  return unconfined ? 'unconfined' : available ? 'confined' : 'off';
}

/** The built-in tools that the model gets. */
export function offeredTools({ kind, withheldTools }: Pick<RunDraft, 'kind' | 'withheldTools'>): string[] {
  return kindFacts(kind).tools.filter((tool) => !withheldTools.includes(tool));
}

/** The tools of servers and the optional ones that the model gets. */
export function addedToolsOf({ kind, addedTools }: Pick<RunDraft, 'kind' | 'addedTools'>): readonly string[] {
  const { mode, agentic } = modeAndTools(kind);
  return agentic && offersServers(mode) ? addedTools : [];
}

/** Offered tools that the form has an approval rule for. */
export function approvalTools(
  draft: Pick<RunDraft, 'kind' | 'withheldTools'>,
  commands: CommandPlace = 'confined',
): readonly ApprovalTool[] {
  const offered = offeredTools(draft);
  return APPROVAL_TOOLS.filter(
    (tool) => offered.includes(tool) && !(commands === 'off' && tool === 'run_command'),
  );
}

/** Whether the form has approval rules for tools of this kind of run. */
function hasApprovalRules(kind: RunKind): boolean {
  return approvalTools({ kind, withheldTools: [] }).length > 0;
}

/** The rules there are for a tool, the usual one first. */
export function approvalChoices(tool: string, commands: CommandPlace): readonly ApprovalChoice[] {
  return tool === 'run_command' && commands === 'unconfined' ? ['ask', 'deny'] : APPROVAL_CHOICES;
}

function approvalOf(draft: RunDraft): CreateRunRequest['approval'] {
  const { kind, approval, otherSettings } = draft;
  const ruled = approvalTools(draft);
  if (!hasApprovalRules(kind)) return kindFacts(kind).tools.length === 0 ? undefined : otherSettings.approval;
  const tools: Record<string, ApprovalChoice> = {};
  for (const tool of ruled) {
    const choice = approval[tool];
    if (choice !== undefined && choice !== 'auto') tools[tool] = choice;
  }
  // The default of an added tool is not to run, and may depend on its server, so every rule of the person counts.
  for (const tool of addedToolsOf(draft)) {
    const choice = approval[tool];
    if (choice !== undefined) tools[tool] = choice;
  }
  return Object.keys(tools).length > 0 ? { tools } : undefined;
}

/**
 * The draft that would start a run again. Fields whose setting took its default stay empty, so that the default follows
 * what is changed. The folder is taken over only where a person chose it.
 */
export function draftOf(config: RunConfig, run: FormerRun): RunDraft {
  const folder = chosenFolder(config, run);
  return draftFrom({
    kind: kindOf(config),
    task: config.task,
    model: config.model,
    workspace: folder,
    workspace_copy: folder === undefined || config.copied_from !== undefined,
    asked: askedSettings(config),
    effective: settingsOf(config),
    trustsRules: run.imported_at === undefined,
  });
}

/** The draft for settings: those that a person set fill their fields, `effective` ones set choices and switches. */
export function draftFrom({
  kind,
  workspace,
  asked,
  effective,
  trustsRules = true,
  ...given
}: Pick<RunDraft, 'kind' | 'task' | 'model' | 'workspace_copy'> & {
  workspace: string | undefined;
  asked: RunSettings;
  effective: RunSettings;
  /** `false` for settings from a file, whose rules for added tools may be anyone's. */
  trustsRules?: boolean;
}): RunDraft {
  const { mode } = modeAndTools(kind);
  const { temperature, seed, top_p, top_k, ...otherOptions } = withoutNamedOptions(
    effective.model_options ?? {},
  );
  const { diversity } = effective;
  const [first, second] = asked.num_predict ?? [];
  const follows = first !== undefined && second === defaultSecondReplyLimit(mode, first);
  const values: Partial<Record<NumberFieldName, unknown>> = {
    ...Object.fromEntries(NUMBER_SETTING_NAMES.map((name) => [name, asked[name]])),
    ...effective.budget,
    ...{ temperature, seed, top_p, top_k },
    predict_first: first,
    predict_second: follows ? undefined : second,
    diversity_threshold: diversity?.threshold,
    diversity_window: diversity?.window,
  };
  return {
    ...emptyDraft,
    ...given,
    kind,
    workspaceKind: workspace === undefined ? 'fresh' : 'folder',
    workspace: workspace ?? '',
    tier: effective.tier ?? emptyDraft.tier,
    ...OWN_FIELDS[mode].draft(effective, asked),
    ...numbersOf((name) => values[name]),
    ...switchesOf((name) => effective[name] ?? emptyDraft[name]),
    think: thinkWord(effective.think ?? false),
    keep_alive: asked.keep_alive === undefined ? '' : String(asked.keep_alive),
    withheldTools: asked.tools
      ? kindFacts(kind).tools.filter((tool) => !asked.tools?.includes(tool))
      : emptyDraft.withheldTools,
    addedTools: (asked.tools ?? []).filter(isAddedTool),
    fetch_hosts: (asked.fetch_hosts ?? []).join(' '),
    approval: Object.fromEntries([
      ...APPROVAL_TOOLS.map((tool): [string, ApprovalChoice] => [
        tool,
        effective.approval?.tools?.[tool] ?? effective.approval?.default ?? 'auto',
      ]),
      ...addedRules(effective, { trusted: trustsRules }),
    ]),
    otherOptions,
    otherSettings: {
      ...Object.fromEntries(KEPT_SETTINGS.map((name) => [name, asked[name]])),
      approval: hasApprovalRules(kind) ? undefined : asked.approval,
    },
  };
}

/** The rules for added tools. Those of an imported run, which could let any call run, don't count. */
function addedRules(
  { approval }: RunSettings,
  { trusted }: { trusted: boolean },
): [string, ApprovalChoice][] {
  return Object.entries(approval?.tools ?? {}).filter(
    ([tool, choice]) => isAddedTool(tool) && (trusted || choice !== 'auto'),
  );
}

function taskDraft(effective: RunSettings, asked: RunSettings): Partial<RunDraft> {
  return {
    stall_guard: asked.stall_guard === undefined ? 'usual' : asked.stall_guard ? 'on' : 'off',
    checks: (effective.checks ?? []).map(draftOfCheck),
    answer_schema: effective.answer_schema ? JSON.stringify(effective.answer_schema, undefined, 2) : '',
    system: effective.system ?? '',
  };
}

function exploreDraft(effective: RunSettings): Partial<RunDraft> {
  const { max_cycles, diversity } = effective;
  return {
    ...operatorDraft(effective),
    untilStopped: max_cycles === null,
    diversity: diversity !== undefined,
    embeddingModel: diversity?.embedding_model ?? '',
  };
}

function numbersOf(of: (name: NumberFieldName) => unknown): Record<NumberFieldName, string> {
  return recordOf(NUMBER_FIELD_NAMES, (name) => writtenNumber(name, of(name)));
}

function switchesOf(of: (name: PlainSwitch) => boolean): Record<PlainSwitch, boolean> {
  return recordOf(PLAIN_SWITCHES, of);
}
