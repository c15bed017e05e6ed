import type { NewRun } from '../api/create-run.ts';
import { AppError } from '../errors/app-error.ts';
import type { ApprovalChoice, RunConfig } from '../events/config.ts';
import { getMaxIterations } from '../policies/iteration-limit.ts';

const WRITING_TOOL = 'write_file';
/** The window of a run that names none (C2). */
export const DEFAULT_WINDOW_TOKENS = 32_768;
const DEFAULT_CYCLES = 20;
const DEFAULT_CALLS_PER_CYCLE = 50;

/** What the server knows when a run is made. */
export interface RunFacts {
  /** Absolute path of the workspace; empty where no files are touched. */
  workspace: string;
  /** Names of the tools that the run can offer. */
  offeredTools: readonly string[];
  /** Tools whose calls a person approves in every run. */
  alwaysAsk?: readonly string[];
}

/**
 * Fills in everything a request left out, so that the run can be read, resumed and repeated from its configuration
 * alone. The stall guard is on unless the tools on offer hold no writing one (K-12); no budget is set (K-26).
 *
 * @throws {AppError} `invalid_max_iterations`; `checks_need_tools` for checks on the single-shot path; `invalid_request`
 *   for a reply limit that is none, or a tool that always asks and is to run unasked
 */
export function resolveConfig(request: NewRun, facts: RunFacts): RunConfig {
  switch (request.mode) {
    case 'session':
      return sessionConfig(request, facts);
    case 'explore':
      return exploreConfig(request, facts);
    default:
      return taskConfig(request, facts);
  }
}

function taskConfig(request: NewRun, facts: RunFacts): RunConfig {
  const { agentic } = request;
  const windowTokens = windowOf(request);
  if (!agentic && request.checks && request.checks.length > 0) {
    throw new AppError({
      code: 'checks_need_tools',
      message: 'Checks look at files in a workspace, and a single answer has none.',
      hint: 'Leave the checks out, or let the run use tools.',
    });
  }
  return {
    ...sharedConfig(request, facts),
    ...(request.system === undefined ? {} : { system: request.system }),
    max_iterations: getMaxIterations({
      complexity: { effective_tier: request.tier },
      _agentic_max_iterations: request.max_iterations,
    }),
    compact_at: request.compact_at ?? 0.75,
    // In a small window three results of 8000 characters would fill it alone.
    result_chars: request.result_chars ?? Math.max(200, Math.min(8000, Math.floor(windowTokens / 4))),
    num_predict: request.num_predict ?? [2048, 4096],
    stall_guard: request.stall_guard ?? facts.offeredTools.includes(WRITING_TOOL),
    nudge_plans: request.nudge_plans ?? true,
    checks: request.checks ?? [],
    max_attempts: request.max_attempts ?? 3,
    live_tokens: request.live_tokens ?? false,
    // Without tools nothing can be called: call-like text is an answer about calls.
    parser_layers: agentic ? (request.parser_layers ?? ['native', 'json', 'xml']) : [],
  };
}

/** An endless conversation: no limit of turns (S17), text live (S6), calls with identifiers (S10). */
function sessionConfig(request: NewRun, facts: RunFacts): RunConfig {
  return {
    ...sharedConfig(request, facts),
    ...withoutTaskGuards(request),
    max_iterations: 0,
    num_predict: replyLimits(request, [4096, 8192]),
    live_tokens: request.live_tokens ?? true,
    parser_layers: request.parser_layers ?? ['native', 'json', 'xml'],
    conversation: { replies: 'read', call_ids: true, results: 'json' },
    session: {
      context_limit: request.context_limit ?? windowOf(request),
      turn_delay: request.turn_delay ?? 0,
    },
  };
}

/** Cycles without a task: the history unchanged (X9), results as text (K-39), native calls and tags only (K-22). */
function exploreConfig(request: NewRun, facts: RunFacts): RunConfig {
  const maxCycles = request.max_cycles === undefined ? DEFAULT_CYCLES : request.max_cycles;
  const callsPerCycle = request.calls_per_cycle ?? DEFAULT_CALLS_PER_CYCLE;
  return {
    ...sharedConfig(request, { ...facts, workspace: '' }),
    ...withoutTaskGuards(request),
    max_iterations: maxCycles === null ? 0 : maxCycles * callsPerCycle,
    num_predict: replyLimits(request, [4096, 4096]),
    live_tokens: request.live_tokens ?? false,
    parser_layers: request.parser_layers ?? ['native', 'xml'],
    conversation: { replies: 'unchanged', call_ids: false, results: 'text' },
    explore: {
      context_limit: request.context_limit ?? windowOf(request),
      max_cycles: maxCycles,
      calls_per_cycle: callsPerCycle,
      cycle_line: request.cycle_line ?? true,
      ...(request.diversity === undefined ? {} : { diversity: request.diversity }),
    },
  };
}

/** What every mode takes from the request in the same way. */
function sharedConfig(request: NewRun, facts: RunFacts) {
  const { shell_timeout_secs, blocked_patterns } = request;
  return {
    mode: request.mode,
    agentic: request.agentic,
    ...(request.title === undefined ? {} : { title: request.title }),
    task: request.task,
    model: request.model,
    workspace: request.agentic ? facts.workspace : '',
    tier: request.tier ?? ('standard' as const),
    window_tokens: windowOf(request),
    keep_rounds: 3,
    call_timeout_ms: milliseconds(request.call_timeout_seconds ?? 120),
    load_timeout_ms: milliseconds(request.load_timeout_seconds ?? 600),
    repetition_threshold: 3,
    stall_threshold: 5,
    max_nudges: 2,
    budget: request.budget ?? {},
    think: request.think ?? false,
    keep_alive: request.keep_alive ?? '30m',
    model_options: request.model_options ?? {},
    ...(shell_timeout_secs === undefined ? {} : { shell_timeout_secs }),
    ...(blocked_patterns === undefined ? {} : { blocked_patterns }),
    ...approvalOf(request, facts),
  };
}

/** The policy as it was asked for, but for tools that always ask: those cannot run unasked. */
function approvalOf({ approval, agentic }: NewRun, { alwaysAsk = [] }: RunFacts) {
  if (!agentic || (approval === undefined && alwaysAsk.length === 0)) return {};
  const tools: Record<string, ApprovalChoice> = { ...approval?.tools };
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

/** The guards of a task, switched off where they have no meaning. */
function withoutTaskGuards(request: NewRun) {
  return {
    compact_at: 1,
    result_chars: Math.max(200, Math.min(8000, Math.floor(windowOf(request) / 4))),
    stall_guard: false,
    nudge_plans: false,
    max_nudges: 0,
    checks: [],
    max_attempts: 1,
  };
}

function windowOf(request: NewRun): number {
  const asked = request.model_options?.num_ctx;
  return request.window_tokens ?? (request.mode !== 'task' && isLimit(asked) ? asked : DEFAULT_WINDOW_TOKENS);
}

/** The limits of a reply: as asked for in either place (X18), else the mode's own. */
function replyLimits(request: NewRun, fallback: [number, number]): [number, number] {
  if (request.num_predict !== undefined) return request.num_predict;
  const asked = request.model_options?.num_predict;
  if (asked === undefined) return fallback;
  if (isLimit(asked)) return [asked, asked];
  throw new AppError({
    code: 'invalid_request',
    message: `model_options.num_predict is ${String(asked)}; it must be a whole number above 0.`,
    hint: 'A reply without an end would never come back.',
  });
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function milliseconds(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}
