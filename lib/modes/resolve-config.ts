import type { z } from 'zod';
import type { NewRun } from '../api/create-run.ts';
import { namedOptions } from '../api/named-options.ts';
import { askedNames, definedOf, milliseconds } from '../api/run-settings.ts';
import { chosenAddedTools, type ServerTools, withServerTools } from '../api/tools.ts';
import { AppError } from '../errors/app-error.ts';
import { isAddedTool } from '../events/added-tools.ts';
import type { ApprovalChoice } from '../events/approval-choices.ts';
import { ANSWER_CHECK_TYPES, needsTools } from '../events/check-kinds.ts';
import type { CommandTool } from '../events/command-tool.ts';
import { type ModelPrice, type RunConfig, type RunMode, storedSettings } from '../events/config.ts';
import { isCommandTool, offeredCommandName } from '../events/mcp-names.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import { defaultSettings, isSettingOf, STORED_ALWAYS } from '../events/settings.ts';
import { requirePriceForBudget } from '../policies/budget.ts';
import { getMaxIterations } from '../policies/iteration-limit.ts';

/** Server-side facts known when a run is created. */
export interface RunFacts {
  /** Absolute path of the workspace; empty if no files are used. */
  workspace: string;
  /** Absolute path of the folder that was copied into the workspace. */
  copiedFrom?: string;
  /** Names of the built-in tools that runs of the mode can offer on this machine. */
  offeredTools: readonly string[];
  /** The price of the model, if one is set. */
  price?: ModelPrice;
  /** Tools whose calls need approval in every run. */
  alwaysAsk?: readonly string[];
  /** The accepted tools of MCP servers, and the custom ones as a separate group. */
  servers?: readonly ServerTools[];
  /** The custom tools of this machine. */
  commandTools?: readonly CommandTool[];
}

/**
 * Fills in all defaults, so that a run can be read, resumed and repeated from its configuration alone. The stall
 * guard is on unless there are no tools (K-12); no budget is set (K-26).
 *
 * @throws {AppError} `checks_need_tools` for checks of a quick prompt that need a workspace or calls; `no_price` for a
 *   cost budget with an unpriced model; `invalid_request` if the request skips the approval of a tool that always needs
 *   it, if none of the chosen tools is available, or if a server's tool was not accepted
 */
export function resolveConfig(request: NewRun, facts: RunFacts): RunConfig {
  // Window and reply limit have their own fields, so each value is stored once, as it is sent.
  const named = { ...request, ...namedOptions(request), ...toolsOf(request, facts) };
  const config = CONFIGS[request.mode](
    { ...named, model_options: named.model_options && withoutNamedOptions(named.model_options) },
    facts,
  );
  requirePriceForBudget(config);
  requireTool(config, facts);
  return config;
}

/** Refuses a choice of tools that leaves none: commands can be unavailable on this machine (O8). */
export function requireTool(
  { tools }: Pick<RunConfig, 'tools'>,
  { offeredTools }: Pick<RunFacts, 'offeredTools'>,
): void {
  if (!tools || tools.some((name) => offeredTools.includes(name) || isAddedTool(name))) return;
  throw new AppError({
    code: 'invalid_request',
    message: `tools: ${tools.join(', ')} cannot be used on this machine.`,
    hint: `Add one of ${offeredTools.join(', ')}. GET /api/health says why commands are unavailable.`,
  });
}

/** The chosen tools, with `server__*` expanded to the names of that server's tools. */
export function toolsOf(
  { tools }: Pick<NewRun, 'tools'>,
  { servers = [] }: Pick<RunFacts, 'servers'>,
): Pick<NewRun, 'tools'> {
  if (!tools) return {};
  const found = withServerTools(tools, servers);
  if ('names' in found) return { tools: found.names };
  throw new AppError({
    code: 'invalid_request',
    message: `tools: ${found.problem}`,
    hint: 'GET /api/tools lists the accepted tools of servers. Accept tools on the Tools page.',
  });
}

/** The custom tools among the chosen ones, with their definitions. */
function chosenCommandTools(
  names: readonly string[] = [],
  tools: readonly CommandTool[] = [],
): Pick<RunConfig, 'command_tools'> {
  if (!names.some(isCommandTool)) return {};
  return { command_tools: tools.filter(({ name }) => names.includes(offeredCommandName(name))) };
}

/** How each mode completes a request. */
const CONFIGS: Readonly<Record<RunMode, (request: NewRun, facts: RunFacts) => RunConfig>> = {
  task: taskConfig,
  session: sessionConfig,
  explore: exploreConfig,
};

function taskConfig(request: NewRun, facts: RunFacts): RunConfig {
  const { agentic } = request;
  const defaults = defaultSettings(request);
  const misplaced = agentic ? undefined : request.checks?.find(({ type }) => needsTools(type));
  if (misplaced) {
    throw new AppError({
      code: 'checks_need_tools',
      message: `The check ${misplaced.type} needs tools, and a single answer has none.`,
      hint: `Remove it, enable tools, or check the answer: ${ANSWER_CHECK_TYPES.join(', ')}.`,
    });
  }
  return {
    ...sharedConfig(request, facts),
    max_iterations: getMaxIterations(request),
    stall_guard: request.stall_guard ?? (defaults.stall_guard && facts.offeredTools.length > 0),
    parser_layers: agentic ? (request.parser_layers ?? defaults.parser_layers) : [],
  };
}

/** An endless conversation: no turn limit (S17), live text (S6), calls with IDs (S10). */
function sessionConfig(request: NewRun, facts: RunFacts): RunConfig {
  const defaults = defaultSettings(request);
  return {
    ...sharedConfig(request, facts),
    max_nudges: 0,
    max_iterations: 0,
    conversation: { replies: 'read', call_ids: true, results: 'json' },
    session: {
      context_limit: request.context_limit ?? defaults.context_limit,
      turn_delay: request.turn_delay ?? defaults.turn_delay,
    },
  };
}

/** Cycles without a task: unchanged history (X9), results as text (K-39), native and tagged calls only (K-22). */
function exploreConfig(request: NewRun, facts: RunFacts): RunConfig {
  const defaults = defaultSettings(request);
  const maxCycles = request.max_cycles === undefined ? defaults.max_cycles : request.max_cycles;
  const callsPerCycle = request.calls_per_cycle ?? defaults.calls_per_cycle;
  return {
    ...sharedConfig(request, { ...facts, workspace: '' }),
    max_nudges: 0,
    max_iterations: exploreIterations(maxCycles, callsPerCycle),
    conversation: { replies: 'unchanged', call_ids: false, results: 'text' },
    explore: {
      context_limit: request.context_limit ?? defaults.context_limit,
      max_cycles: maxCycles,
      calls_per_cycle: callsPerCycle,
      cycle_line: request.cycle_line ?? defaults.cycle_line,
      ...(request.diversity === undefined ? {} : { diversity: request.diversity }),
    },
  };
}

/** Max iterations of an exploration; 0 means no limit. */
export function exploreIterations(maxCycles: number | null, callsPerCycle: number): number {
  return maxCycles === null ? 0 : maxCycles * callsPerCycle;
}

/** Settings that all modes handle the same way. */
function sharedConfig(request: NewRun, facts: RunFacts) {
  const defaults = defaultSettings(request);
  return {
    mode: request.mode,
    agentic: request.agentic,
    ...(request.title === undefined ? {} : { title: request.title }),
    task: request.task,
    model: request.model,
    workspace: request.agentic ? facts.workspace : '',
    ...(request.agentic && facts.copiedFrom !== undefined ? { copied_from: facts.copiedFrom } : {}),
    ...resolvedSettings(request),
    call_timeout_ms: milliseconds(request.call_timeout_seconds ?? defaults.call_timeout_seconds),
    load_timeout_ms: milliseconds(request.load_timeout_seconds ?? defaults.load_timeout_seconds),
    parser_layers: request.parser_layers ?? defaults.parser_layers,
    ...chosenCommandTools(request.tools, facts.commandTools),
    ...approvalOf(request, facts),
    ...(facts.price === undefined ? {} : { price: facts.price }),
    asked: askedNames(request),
  };
}

/**
 * The requested approval policy, tightened for tools that always need approval. An added tool needs approval, unless
 * the request says otherwise or the person trusts its server's claim that it only reads.
 */
function approvalOf(
  { approval, agentic, tools: chosen }: NewRun,
  { alwaysAsk = [], servers = [] }: RunFacts,
) {
  const added = chosenAddedTools(chosen, servers);
  if (!agentic || (approval === undefined && alwaysAsk.length + added.length === 0)) return {};
  const tools: Record<string, ApprovalChoice> = {
    ...askingRules(added, approval?.default ?? 'auto'),
    ...approval?.tools,
  };
  for (const tool of alwaysAsk) {
    if (tools[tool] === 'auto') {
      throw new AppError({
        code: 'invalid_request',
        message: `approval: ${tool} runs without confinement here and cannot run unasked.`,
        hint: 'Choose "ask" or "deny", or start the server without LOUPE_UNCONFINED.',
      });
    }
    const choice = tools[tool] ?? approval?.default;
    tools[tool] = choice === 'deny' ? 'deny' : 'ask';
  }
  return {
    approval: {
      default: approval?.default ?? ('auto' as const),
      ...(Object.keys(tools).length > 0 ? { tools } : {}),
    },
  };
}

/** The rules for added tools without a rule in the request: at least as strict as the default. */
export function askingRules(
  tools: readonly { name: string; unasked: boolean }[],
  usual: ApprovalChoice,
): Record<string, ApprovalChoice> {
  if (usual !== 'auto') return {};
  return Object.fromEntries(tools.filter(({ unasked }) => !unasked).map(({ name }) => [name, 'ask']));
}

/**
 * The settings of a request, with defaults, that a configuration keeps under their own names. Every log has the
 * original settings of all modes; settings added later are only in the logs of their modes. Pure.
 */
function resolvedSettings(request: NewRun): z.output<typeof storedSettings> {
  const values: Readonly<Record<string, unknown>> = { ...defaultSettings(request), ...definedOf(request) };
  const names = Object.keys(values).filter(
    (name) =>
      Object.hasOwn(storedSettings.shape, name) && (isStoredAlways(name) || isSettingOf(request.mode, name)),
  );
  // Not parsed again: the request was checked against the same schemas, and parsing takes 0.3 ms.
  return Object.fromEntries(names.map((name) => [name, values[name]])) as z.output<typeof storedSettings>;
}

function isStoredAlways(name: string): boolean {
  return STORED_ALWAYS.some((always) => always === name);
}
