import type { RunMode } from '../events/config.ts';
import type { TerminationReason } from '../events/run.ts';
import type { RunSummary } from './run-summary.ts';

// Not read off the schemas, which are too large for a page; the compiler asks for every one.
const modes: Record<RunMode, true> = { task: true, session: true, explore: true };
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

/** Where a run stands, as lists tell it apart. */
export type RunStateFilter = 'active' | 'waiting' | 'ended';
const states: Record<RunStateFilter, true> = { active: true, waiting: true, ended: true };

/** Which runs a list shows: those that pass every condition that is set. */
export interface RunFilter {
  mode?: RunMode;
  model?: string;
  reason?: TerminationReason;
  /** `active`: not ended; `waiting`: for a person; `ended`. */
  state?: RunStateFilter;
  /** All its words stand in the title or the model's name, whatever their case (A to Z). */
  text?: string;
}

const MAX_TEXT = 200;

/**
 * The filter in the query of an address, with what is wrong in it: such a part is left out and never silently.
 * Parameters of other names are not its business.
 */
export function readRunFilter(query: URLSearchParams): { filter: RunFilter; problems: string[] } {
  const filter: RunFilter = {};
  const problems: string[] = [];
  const value = (name: string) => query.get(name)?.trim() || undefined;
  const oneOf = <T extends string>(name: string, all: Record<T, true>): T | undefined => {
    const asked = value(name);
    const known = Object.keys(all) as T[];
    const found = known.find((each) => each === asked);
    if (asked !== undefined && found === undefined) {
      problems.push(`${name} is "${asked.slice(0, 40)}"; it must be one of ${known.join(', ')}.`);
    }
    return found;
  };
  const mode = oneOf('mode', modes);
  const reason = oneOf('reason', reasons);
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
  if (state) filter.state = state;
  if (text) filter.text = text;
  return { filter, problems };
}

/** Writes a filter into a query; parameters of other names stay. */
export function writeRunFilter(query: URLSearchParams, filter: RunFilter): URLSearchParams {
  const written = new URLSearchParams(query);
  for (const name of ['mode', 'model', 'reason', 'state', 'text'] as const) {
    const value = filter[name];
    if (value === undefined || value === '') written.delete(name);
    else written.set(name, value);
  }
  return written;
}

/** Whether a run passes: what every store answers, and a page for runs that change while it is open. */
export function passesFilter(run: RunSummary, filter: RunFilter): boolean {
  const { mode, model, reason, state } = filter;
  if (mode !== undefined && run.mode !== mode) return false;
  if (model !== undefined && run.model !== model) return false;
  if (reason !== undefined && run.termination_reason !== reason) return false;
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

/** As databases do without further libraries: A to Z only. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
