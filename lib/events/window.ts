import type { RunConfig } from './config.ts';

/** The parts of the run state that determine its window. */
export interface WindowFacts {
  readonly config: Pick<RunConfig, 'window_tokens' | 'compact_at'> | undefined;
  readonly preflight: { readonly max_context_tokens?: number } | undefined;
  readonly loaded: { readonly context_tokens?: number } | undefined;
}

/**
 * `num_ctx` as sent with every request of the run (C7): the configured window, or the model's maximum if that is
 * lower. Fixed for the run, because Ollama reloads the model when it changes. 0 before the run has a configuration.
 */
export function requestedWindow({ config, preflight }: WindowFacts): number {
  return config
    ? Math.min(config.window_tokens, preflight?.max_context_tokens ?? Number.POSITIVE_INFINITY)
    : 0;
}

/** The effective window, which Ollama may report as lower after loading (K-19). */
export function effectiveWindow(state: WindowFacts): number {
  return Math.min(requestedWindow(state), state.loaded?.context_tokens ?? Number.POSITIVE_INFINITY);
}

/** Token count at which older results are shortened (C2). */
export function compactionLimit(state: WindowFacts): number {
  return Math.floor(effectiveWindow(state) * (state.config?.compact_at ?? 1));
}
