import type { ExperimentRequest } from '../api/experiment.ts';
import type { RunConfig } from '../events/config.ts';

export const MIN_REPEATS = 2;
export const MAX_REPEATS = 20;

/** Whether a run can be made again as an experiment: a session has no end of its own. */
export function canRepeat({ mode }: RunConfig): boolean {
  return mode !== 'session';
}

/** The folder that was chosen for a run; `undefined` where there is none, or it was made for the run. */
export function chosenFolder(config: RunConfig, runId: string): string | undefined {
  const { workspace } = config;
  return workspace === '' || workspace.split(/[\\/]/).at(-1) === runId ? undefined : workspace;
}

/**
 * The experiment that does the same as a run so many times: its model, its options, its seed if it has one, and every
 * setting that an experiment knows. Each run of a task works on a copy of the folder, as it is then, or in an empty one. Pure.
 */
export function repeatRequest(
  config: RunConfig,
  { runId, title, times }: { runId: string; title: string; times: number },
): ExperimentRequest {
  const { seed, ...options } = config.model_options;
  const { explore } = config;
  const task = config.mode === 'task';
  const folder = chosenFolder(config, runId);
  return {
    name: `${title.slice(0, 90)} × ${times}`,
    mode: task ? (config.agentic ? 'task' : 'prompt') : 'explore',
    models: [config.model],
    options: [options],
    seeds: typeof seed === 'number' ? [seed] : [],
    repeats: times,
    ...(task ? { task: config.task } : {}),
    ...(task && folder !== undefined ? { workspace: folder } : {}),
    ...(explore ? { cycles: explore.max_cycles ?? 5 } : {}),
    settings: {
      window_tokens: config.window_tokens,
      num_predict: config.num_predict,
      live_tokens: config.live_tokens,
      think: config.think,
      keep_alive: config.keep_alive,
      call_timeout_seconds: config.call_timeout_ms / 1000,
      load_timeout_seconds: config.load_timeout_ms / 1000,
      budget: config.budget,
      ...(config.parser_layers.length > 0 ? { parser_layers: config.parser_layers } : {}),
      ...(task
        ? {
            ...(config.system === undefined ? {} : { system: config.system }),
            tier: config.tier,
            max_iterations: config.max_iterations,
            stall_guard: config.stall_guard,
            nudge_plans: config.nudge_plans,
            checks: config.checks,
            max_attempts: config.max_attempts,
            compact_at: config.compact_at,
            result_chars: config.result_chars,
            ...(config.shell_timeout_secs === undefined
              ? {}
              : { shell_timeout_secs: config.shell_timeout_secs }),
            ...(config.blocked_patterns === undefined ? {} : { blocked_patterns: config.blocked_patterns }),
          }
        : {}),
      ...(explore
        ? {
            context_limit: explore.context_limit,
            calls_per_cycle: explore.calls_per_cycle,
            cycle_line: explore.cycle_line,
            ...(explore.diversity === undefined ? {} : { diversity: explore.diversity }),
          }
        : {}),
    },
  };
}
