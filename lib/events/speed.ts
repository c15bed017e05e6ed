/**
 * Shorter replies and prompts give no meaningful speed: Ollama counts the time of a reply's first token as prompt
 * time, so a one-token reply appears to take no time.
 */
const MIN_TIMED_TOKENS = 10;
/** Ollama counts in nanoseconds. A speed over a shorter time, which only an imported log can claim, may be infinite. */
const MIN_TIMED_MS = 1e-6;

/** Whether a token count and a duration in milliseconds give a meaningful speed. */
export function isTimed(tokens: number | undefined, ms: number | undefined): boolean {
  return tokens !== undefined && tokens >= MIN_TIMED_TOKENS && ms !== undefined && ms >= MIN_TIMED_MS;
}

/** Tokens per second; `undefined` if the time is missing or 0, or there are too few tokens. */
export function tokensPerSecond(tokens: number | undefined, ms: number | undefined): number | undefined {
  return tokens !== undefined && ms !== undefined && isTimed(tokens, ms) ? (tokens / ms) * 1000 : undefined;
}
