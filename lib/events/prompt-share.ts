import { isAtLeast, REFUSES_LONG_CHATS } from '../model/server-version.ts';

/** Whether a server of this version refuses a chat that exceeds its window when told not to truncate it (OL3). */
export function refusesLongChats(serverVersion: string | undefined): boolean {
  return isAtLeast(serverVersion, REFUSES_LONG_CHATS);
}

/** An estimate may be too high by this share before it is reported. */
const NOTE_SHARE = 0.3;
/** Short prompts are mostly template, which the estimate does not cover. */
const NOTE_TOKENS = 400;
/** An estimate may be too low by this factor: other scripts take two characters per token. */
const ESTIMATE_MAY_DOUBLE = 2;

/** Token counts of a completed request. */
export interface ReadPrompt {
  /** Total characters sent, divided by 4 (C1). */
  readonly estimated: number;
  /** Tokens evaluated according to the server, if reported. */
  readonly evaluated: number | undefined;
  /** The effective window; 0 if unknown. */
  readonly window: number;
  /** Whether the server reported that window. */
  readonly windowIsReported: boolean;
  readonly serverVersion: string | undefined;
}

/**
 * Whether the server evaluated the whole prompt (OL2, OL17).
 *
 * - `cut`: the prompt fills the window to the last token, which is where a server truncates; or the server truncates
 *   silently instead of refusing, and evaluated so much less than estimated that something is likely missing.
 * - `fewer`: the server evaluated far fewer tokens than estimated although it cannot have truncated. The template
 *   omits something, or the text takes fewer tokens than its length suggests.
 *
 * @returns `undefined` if all is well or nothing is known
 */
export function promptFate(prompt: ReadPrompt): 'cut' | 'fewer' | undefined {
  const { estimated, evaluated, window, windowIsReported, serverVersion } = prompt;
  if (evaluated === undefined) return undefined;
  if (window > 0 && evaluated === window) return 'cut';
  const missing = unreadShare(estimated, evaluated);
  if (refusesLongChats(serverVersion)) return missing === undefined ? undefined : 'fewer';
  if (windowIsReported && estimated > window && evaluated < window) return 'cut';
  if (missing === undefined) return undefined;
  const fits = windowIsReported && estimated * ESTIMATE_MAY_DOUBLE <= window;
  return fits ? 'fewer' : 'cut';
}

/**
 * The share of a request, 0 to 1, that the server evaluated less than estimated, if it exceeds the usual error of the
 * estimate; otherwise `undefined`.
 */
export function unreadShare(estimated: number, evaluated: number | undefined): number | undefined {
  if (evaluated === undefined || estimated < NOTE_TOKENS) return undefined;
  const missing = 1 - evaluated / estimated;
  return missing > NOTE_SHARE ? missing : undefined;
}
