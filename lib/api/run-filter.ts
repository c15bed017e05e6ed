import type { RunMode } from '../events/config.ts';
import { MODES } from '../events/modes.ts';
import { OUTCOMES } from '../events/outcome.ts';
import type { OutcomeKind, TerminationReason } from '../events/termination.ts';
import type { RunSummary } from './run-summary.ts';

// Not derived from the schemas, which are too large for the client bundle; the compiler requires every value.
const reasons: Record<TerminationReason, true> = {
  final_answer: true,
  max_iterations: true,
  repetition: true,
  stall: true,
  nudge_exhausted: true,
  budget_exceeded: true,
  timeout: true,
  context_full: true,
  stopped: true,
  error: true,
};

/** The state of a run in lists. */
type RunStateFilter = 'active' | 'waiting' | 'ended';
const states: Record<RunStateFilter, true> = { active: true, waiting: true, ended: true };

/** Selects runs that meet every condition that is set. */
export interface RunFilter {
  mode?: RunMode;
  model?: string;
  reason?: TerminationReason;
  /** The outcome; finer than the reason if the model answered. */
  outcome?: OutcomeKind;
  /** `active`: not ended; `waiting`: for approval; `ended`. */
  state?: RunStateFilter;
  /** Every word must occur in the title or model name; case is ignored for A to Z. */
  text?: string;
}

const MAX_TEXT = 200;

/**
 * Reads the filter from a URL query. Invalid values are dropped and reported in `problems`; other parameters are ignored.
 */
export function readRunFilter(query: URLSearchParams): { filter: RunFilter; problems: string[] } {
  const filter: RunFilter = {};
  const problems: string[] = [];
  const value = (name: string) => query.get(name)?.trim() || undefined;
  const oneOf = <T extends string>(name: string, all: Readonly<Record<T, unknown>>): T | undefined => {
    const asked = value(name);
    const known = Object.keys(all) as T[];
    const found = known.find((each) => each === asked);
    if (asked !== undefined && found === undefined) {
      problems.push(`${name} is "${asked.slice(0, 40)}"; it must be one of ${known.join(', ')}.`);
    }
    return found;
  };
  const mode = oneOf('mode', MODES);
  const reason = oneOf('reason', reasons);
  const outcome = oneOf('outcome', OUTCOMES);
  const state = oneOf('state', states);
  const short = (name: string) => {
    const text = value(name);
    if (text !== undefined && text.length > MAX_TEXT) {
      problems.push(`${name} is longer than ${MAX_TEXT} characters.`);
      return undefined;
    }
    return text;
  };
  const model = short('model');
  const text = short('text');
  if (mode) filter.mode = mode;
  if (model) filter.model = model;
  if (reason) filter.reason = reason;
  if (outcome) filter.outcome = outcome;
  if (state) filter.state = state;
  if (text) filter.text = text;
  return { filter, problems };
}

/** Writes a filter into a query; other parameters are kept. */
export function writeRunFilter(query: URLSearchParams, filter: RunFilter): URLSearchParams {
  const written = new URLSearchParams(query);
  for (const name of ['mode', 'model', 'reason', 'outcome', 'state', 'text'] as const) {
    const value = filter[name];
    if (value === undefined || value === '') written.delete(name);
    else written.set(name, value);
  }
  return written;
}

/** Whether a run matches. Every store filters by the same rules; a page uses this for live updates. */
export function passesFilter(run: RunSummary, filter: RunFilter): boolean {
  const { mode, model, reason, outcome, state } = filter;
  if (mode !== undefined && run.mode !== mode) return false;
  if (model !== undefined && run.model !== model) return false;
  if (reason !== undefined && run.termination_reason !== reason) return false;
  if (outcome !== undefined && run.outcome?.kind !== outcome) return false;
  if (state === 'active' && run.phase === 'ended') return false;
  if (state === 'waiting' && run.phase !== 'awaiting-approval') return false;
  if (state === 'ended' && run.phase !== 'ended') return false;
  const text = asciiLower(`${run.title}\n${run.model}`);
  return filterWords(filter).every((word) => text.includes(word));
}

/** The words of `text`, in lower case. */
export function filterWords(filter: RunFilter): string[] {
  return asciiLower(filter.text ?? '')
    .split(/\s+/)
    .filter(Boolean);
}

/** Lowercases A to Z only, as databases do without extensions. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
