import { z } from 'zod';

/** Ollama's field `think` (`api/types.go`, `ThinkValue`); `max` from 0.22 on. */
export const thinkSetting = z.union(
  [z.boolean(), z.enum(['low', 'medium', 'high', 'max'])],
  'must be true, false, "low", "medium", "high" or "max".',
);
export type ThinkSetting = z.infer<typeof thinkSetting>;

/** The values of the setting `keep_alive`. */
export const KEEP_ALIVE_FORM =
  'Enter a duration such as 30m or 1h30m, a number of seconds, or -1 to keep it loaded.';

/** The value of a model option; `stop` is a list. */
export const optionValue = z.union(
  [z.number(), z.string(), z.boolean(), z.array(z.string())],
  'must be a number, a string, true, false or a list of strings.',
);
export type OptionValue = z.infer<typeof optionValue>;
