import { operatorProblems } from '../api/create-run.ts';
import type { ForkPlan, ForkSettings } from '../api/fork-run.ts';
import { namedOptions } from '../api/named-options.ts';
import { askedNames, askedSettings, definedOf, milliseconds, type RunSettings } from '../api/run-settings.ts';
import { chosenAddedTools, type ServerTools, toolsProblem } from '../api/tools.ts';
import { refusedFields } from '../api/unused-fields.ts';
import { AppError } from '../errors/app-error.ts';
import { FETCH_TOOL, isAddedTool } from '../events/added-tools.ts';
import type { CommandTool } from '../events/command-tool.ts';
import { type ModelPrice, type RunConfig, storedSettings } from '../events/config.ts';
import { isCommandTool, offeredCommandName } from '../events/mcp-names.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import { defaultSettings, isSettingOf, modesWithSetting } from '../events/settings.ts';
import { askingRules, exploreIterations, toolsOf } from '../modes/resolve-config.ts';
import { requirePriceForBudget } from '../policies/budget.ts';
import type { JsonValue } from '../util/json.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** Facts that a fork's configuration depends on. */
export interface ConfigFacts {
  /** Absolute path of the fork's workspace; empty if it uses no files. */
  workspace: string;
  /** The current price of the fork's model. The copied part keeps its cost. */
  price?: ModelPrice;
  /** The accepted tools of MCP servers. */
  servers?: readonly ServerTools[];
  /** The custom tools of this machine. */
  commandTools?: readonly CommandTool[];
  /** Whether the source run was imported. */
  imported?: boolean;
}

/**
 * The configuration of a fork: the run's settings with the changes. Recomputes defaults that depend on a changed
 * setting. Pure.
 *
 * @throws {AppError} `invalid_request` for a setting that the mode does not have, `no_price` for a cost budget with a
 *   model that has no price
 */
export function changedConfig(
  config: RunConfig,
  request: ForkPlan,
  { workspace, price, servers = [], commandTools = [], imported }: ConfigFacts,
): RunConfig {
  const { title } = request;
  requireMode(config, request.settings);
  requireEffect(config, request.settings);
  requireTools(config, request.settings);
  const settings = {
    ...request.settings,
    ...namedOptions(request.settings),
    ...toolsOf(request.settings, { servers }),
  };
  const { model, model_options, max_iterations, call_timeout_seconds, ...others } = settings;
  const { turn_delay, max_cycles, calls_per_cycle, context_limit, ...plain } = others;
  const changed: RunConfig = {
    ...config,
    ...definedOf({ model, max_iterations, ...plain }),
    workspace,
    ...(workspace === config.workspace ? {} : { copied_from: undefined }),
    ...(title === undefined ? {} : { title }),
    ...(call_timeout_seconds === undefined ? {} : { call_timeout_ms: milliseconds(call_timeout_seconds) }),
    model_options: withoutNamedOptions(mergedOptions(config.model_options, model_options)),
    ...(config.explore
      ? { explore: { ...config.explore, ...definedOf({ context_limit, max_cycles, calls_per_cycle }) } }
      : {}),
    ...(config.session
      ? { session: { ...config.session, ...definedOf({ context_limit, turn_delay }) } }
      : {}),
    price,
    command_tools: commandToolsOfFork(config, {
      tools: settings.tools ?? config.tools,
      commandTools,
      imported,
    }),
    asked: [...new Set([...askedNames(askedSettings(config)), ...askedNames(settings)])],
  };
  requirePriceForBudget(changed);
  requireHosts(changed, request.settings);
  return withDefaultsAgain(config, { ...changed, ...approvalOfFork(changed, { servers, imported }) });
}

/**
 * The custom tools of a fork: tools of its run as they were when the run began, and others as they are now. Anyone may
 * have written the commands of an imported file, so there only this machine's tools of the same name count.
 *
 * @throws {AppError} `invalid_request` if this machine has no such tool
 */
function commandToolsOfFork(
  config: RunConfig,
  { tools = [], commandTools = [], imported }: Pick<RunConfig, 'tools'> & Partial<ConfigFacts>,
): RunConfig['command_tools'] {
  const chosen = tools.filter(isCommandTool);
  if (chosen.length === 0) return undefined;
  const known = [...(imported ? [] : (config.command_tools ?? [])), ...commandTools];
  return chosen.map((offered) => {
    const found = known.find(({ name }) => offeredCommandName(name) === offered);
    if (found) return found;
    throw refused(
      `settings: tools: This machine has no custom tool "${offered.slice(0, 100)}".`,
      'Add it on the Tools page, or choose other tools.',
    );
  });
}

/**
 * The rules of a fork for added tools. Rules from an imported file don't count: the file could decide what runs without
 * approval on servers of this machine with the same name, or which hosts are contacted.
 */
function approvalOfFork(
  { approval, tools }: RunConfig,
  { servers = [], imported }: Pick<ConfigFacts, 'servers' | 'imported'>,
): Pick<RunConfig, 'approval'> {
  const named = (tools ?? []).filter(isAddedTool);
  if (named.length === 0) return {};
  const usual = approval?.default ?? 'auto';
  const rules = imported
    ? Object.fromEntries(
        named.map((name) => [name, approval?.tools?.[name] === 'deny' ? 'deny' : 'ask'] as const),
      )
    : { ...askingRules(chosenAddedTools(named, servers), usual), ...approval?.tools };
  const merged = imported ? { ...approval?.tools, ...rules } : rules;
  return { approval: { default: usual, ...(Object.keys(merged).length > 0 ? { tools: merged } : {}) } };
}

/** Recomputes the defaults that depend on a changed setting. */
function withDefaultsAgain(before: RunConfig, changed: RunConfig): RunConfig {
  const was: Readonly<Record<string, JsonValue>> = defaultSettings(before);
  const follows = ([name, value]: [string, JsonValue]) =>
    !changed.asked?.includes(name) && sortedJson(was[name] ?? null) !== sortedJson(value);
  const again: RunSettings = Object.fromEntries(
    Object.entries<JsonValue>(defaultSettings(changed)).filter(follows),
  );
  const { session, explore } = changed;
  const limit = definedOf({ context_limit: again.context_limit });
  return {
    ...changed,
    ...storedSettings.partial().parse(again),
    ...(session ? { session: { ...session, ...limit } } : {}),
    ...(explore
      ? {
          explore: { ...explore, ...limit },
          max_iterations: exploreIterations(explore.max_cycles, explore.calls_per_cycle),
        }
      : {}),
  };
}

function requireMode({ mode }: RunConfig, settings: ForkSettings): void {
  const name = Object.keys(definedOf(settings)).find((each) => !isSettingOf(mode, each));
  if (name === undefined) return;
  const modes = modesWithSetting(name)?.join('" or "');
  throw refused(`settings: ${name} does not apply to the mode "${mode}", only to the mode "${modes}".`);
}

/** Refuses settings that have no effect on the fork, and an operator policy without what it needs. */
function requireEffect(config: RunConfig, settings: ForkSettings): void {
  const { mode, agentic, operator_policy, stall_guard, checks, explore } = config;
  const { diversity } = explore ?? {};
  const changed = definedOf(settings);
  const refusals = refusedFields({
    ...{ operator_policy, stall_guard },
    ...changed,
    ...{ mode, agentic, checks, diversity },
  });
  const found = refusals.find(([name]) => name in changed);
  const [problem] = changed.operator_policy ? operatorProblems({ ...config, ...changed }) : [];
  const [name, message] = found ?? problem ?? [];
  if (name !== undefined) throw refused(`settings: ${name}: ${message}`);
}

function requireTools({ mode, agentic }: RunConfig, { tools }: ForkSettings): void {
  if (!tools || !agentic) return;
  const problem = toolsProblem(mode, tools);
  if (problem !== undefined) throw refused(`settings: tools: ${problem}`);
}

function requireHosts({ tools = [], fetch_hosts: hosts = [] }: RunConfig, asked: ForkSettings): void {
  const fetches = tools.includes(FETCH_TOOL);
  if (fetches && hosts.length === 0)
    throw refused('settings: fetch_hosts: List the hosts that fetch_url may contact.');
  if (!fetches && asked.fetch_hosts?.length)
    throw refused(
      'settings: fetch_hosts: These hosts have no effect: the fork has no tool fetch_url.',
      'Add fetch_url to tools, or leave them out.',
    );
}

function mergedOptions(
  options: RunConfig['model_options'],
  changes: ForkSettings['model_options'],
): RunConfig['model_options'] {
  const merged = { ...options };
  for (const [name, value] of Object.entries(changes ?? {})) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** The error for a fork request that does not fit its run. */
export function refused(message: string, hint?: string): AppError {
  return new AppError({ code: 'invalid_request', message, hint });
}
