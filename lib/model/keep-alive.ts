const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** Ollama's max duration, 2^63 - 1 nanoseconds, used for an unlimited keep-alive. */
const FOR_EVER_MS = (2 ** 63 - 1) / 1e6;

/**
 * Parses a keep-alive like Ollama, in milliseconds: seconds, or a duration such as `5m` or `1h30m`; negative means
 * unlimited. `undefined` if invalid.
 */
export function keepAliveMs(keepAlive: string | number): number | undefined {
  const text = String(keepAlive);
  const [, sign, parts = ''] =
    /^([-+]?)((?:\d+\.?\d*(?:ns|us|µs|ms|s|m|h))+|\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  let ms = 0;
  for (const [, amount, unit = 's'] of parts.matchAll(/(\d+\.?\d*)(ns|us|µs|ms|s|m|h)?/g)) {
    ms += Number(amount) * (UNITS_MS[unit] ?? 1000);
  }
  return sign === '-' && ms > 0 ? FOR_EVER_MS : ms;
}

/**
 * A keep-alive as Ollama takes it: seconds are a number, and a text must have a unit (`time: missing unit in duration "-1"`).
 */
export function keepAliveToSend(keepAlive: string | number): string | number {
  return /^[-+]?\d+(?:\.\d+)?$/.test(String(keepAlive)) ? Number(keepAlive) : keepAlive;
}

/** With `keep_alive: 0` an empty conversation would unload the model instead; the calls themselves still send 0. */
export function keepAliveForLoad(keepAlive: string | number): string | number {
  return keepAliveMs(keepAlive) === 0 ? '5m' : keepAliveToSend(keepAlive);
}
