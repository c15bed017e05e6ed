import type { ReadyState } from './rule.ts';

/**
 * `num_ctx` as every request of the run sends it (C7): the configured window, lower when the model's own maximum is
 * lower. Fixed for the run, since Ollama reloads the model when it changes.
 */
export function requestedWindow(state: ReadyState): number {
  return Math.min(
    state.config.window_tokens,
    state.preflight?.max_context_tokens ?? Number.POSITIVE_INFINITY,
  );
}

/** The window in effect: what Ollama reports after loading may be lower still (K-19). */
export function effectiveWindow(state: ReadyState): number {
  return Math.min(requestedWindow(state), state.loaded?.context_tokens ?? Number.POSITIVE_INFINITY);
}

/** Tokens at which older results are shortened (C2). */
export function compactionLimit(state: ReadyState): number {
  return Math.floor(effectiveWindow(state) * state.config.compact_at);
}
