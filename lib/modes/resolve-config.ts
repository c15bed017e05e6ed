import type { z } from 'zod';
import type { createRunRequest } from '../api/create-run.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import { getMaxIterations } from '../policies/iteration-limit.ts';

const WRITING_TOOL = 'write_file';

/** What the server knows when a run is made. */
export interface RunFacts {
  /** Absolute path of the workspace; empty on the single-shot path. */
  workspace: string;
  /** Names of the tools that the run can offer. */
  offeredTools: readonly string[];
}

/**
 * Fills in everything a request left out, so that the run can be read, resumed and repeated from its configuration
 * alone. The stall guard is on unless the tools on offer hold no writing one (K-12); no budget is set (K-26).
 *
 * @throws {AppError} `invalid_max_iterations`; `checks_need_tools` for checks on the single-shot path
 */
export function resolveConfig(request: z.output<typeof createRunRequest>, facts: RunFacts): RunConfig {
  const { agentic } = request;
  const windowTokens = request.window_tokens ?? 32_768;
  if (!agentic && request.checks && request.checks.length > 0) {
    throw new AppError({
      code: 'checks_need_tools',
      message: 'Checks look at files in a workspace, and a single answer has none.',
      hint: 'Leave the checks out, or let the run use tools.',
    });
  }
  return {
    mode: request.mode,
    agentic,
    task: request.task,
    model: request.model,
    workspace: agentic ? facts.workspace : '',
    ...(request.system === undefined ? {} : { system: request.system }),
    tier: request.tier,
    max_iterations: getMaxIterations({
      complexity: { effective_tier: request.tier },
      _agentic_max_iterations: request.max_iterations,
    }),
    window_tokens: windowTokens,
    compact_at: request.compact_at ?? 0.75,
    keep_rounds: 3,
    // In a small window three results of 8000 characters would fill it alone.
    result_chars: request.result_chars ?? Math.max(200, Math.min(8000, Math.floor(windowTokens / 4))),
    num_predict: request.num_predict ?? [2048, 4096],
    call_timeout_ms: milliseconds(request.call_timeout_seconds ?? 120),
    load_timeout_ms: milliseconds(request.load_timeout_seconds ?? 600),
    repetition_threshold: 3,
    stall_guard: request.stall_guard ?? facts.offeredTools.includes(WRITING_TOOL),
    stall_threshold: 5,
    nudge_plans: request.nudge_plans ?? true,
    max_nudges: 2,
    budget: request.budget ?? {},
    checks: request.checks ?? [],
    max_attempts: request.max_attempts ?? 3,
    live_tokens: request.live_tokens ?? false,
    think: request.think ?? false,
    keep_alive: request.keep_alive ?? '30m',
    model_options: request.model_options ?? {},
    // Without tools nothing can be called: call-like text is an answer about calls.
    parser_layers: agentic ? ['native', 'json', 'xml'] : [],
  };
}

function milliseconds(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}
