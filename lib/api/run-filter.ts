import { MAX_TAG_CHARS, MAX_TAGS } from '../events/limits.ts';
import { MODES, type RunMode } from '../events/modes.ts';
import { OUTCOMES } from '../events/outcome.ts';
import { awaitsOperator } from '../events/run-phase.ts';
import type { OutcomeKind, TerminationReason } from '../events/termination.ts';
import { isSameModel } from '../util/model-name.ts';
import { keysOf } from '../util/records.ts';
import { familyOf, type RunSummary } from './run-summary.ts';

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

/** Archived runs are hidden by default; they can be listed alone or with all others. */
type ArchivedFilter = 'only' | 'all';
const archivedChoices: Record<ArchivedFilter, true> = { only: true, all: true };

/** Selects runs that meet every condition that is set. Without `archived`, archived runs are left out. */
export interface RunFilter {
  mode?: RunMode;
  model?: string;
  reason?: TerminationReason;
  /** The outcome; finer than the reason if the model answered. */
  outcome?: OutcomeKind;
  /** `active`: not ended; `waiting`: for the operator; `ended`. */
  state?: RunStateFilter;
  /** Every word must occur in the title or model name; case is ignored for A to Z. */
  text?: string;
  /** The run has all of these tags. */
  tags?: readonly string[];
  /** The exact path of the folder. */
  folder?: string;
  /** Created at this time or later, in milliseconds since 1970. */
  since?: number;
  /** Created before this time. */
  until?: number;
  archived?: ArchivedFilter;
  pinned?: boolean;
  /** Belongs to this family (`familyOf`). */
  family?: string;
}

/** The query parameters of a filter. */
export const RUN_FILTER_PARAMETERS = [
  ...['mode', 'model', 'reason', 'outcome', 'state', 'text', 'tag', 'folder'],
  ...['since', 'until', 'archived', 'pinned', 'family'],
] as const;

const MAX_TEXT = 200;
/** As long as a path on Linux. */
const MAX_FOLDER = 4096;

/**
 * Reads the filter from a URL query. Invalid values are dropped and reported in `problems`; other parameters are ignored.
 */
export function readRunFilter(query: URLSearchParams): { filter: RunFilter; problems: string[] } {
  const filter: RunFilter = {};
  const problems: string[] = [];
  const value = (name: string) => query.get(name)?.trim() || undefined;
  const oneOf = <T extends string>(name: string, all: Readonly<Record<T, unknown>>): T | undefined => {
    const asked = value(name);
    const known = keysOf(all);
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
  const short = (name: string, limit = MAX_TEXT) => {
    const text = value(name);
    if (text !== undefined && text.length > limit) {
      problems.push(`${name} is longer than ${limit} characters.`);
      return undefined;
    }
    return text;
  };
  const moment = (name: string, days: number) => {
    const asked = value(name);
    const at = asked === undefined ? undefined : momentOf(asked, days);
    if (asked !== undefined && at === undefined) {
      problems.push(`${name} is "${asked.slice(0, 40)}"; it must be a date such as 2026-11-21.`);
    }
    return at;
  };
  const model = short('model');
  const text = short('text');
  if (mode) filter.mode = mode;
  if (model) filter.model = model;
  if (reason) filter.reason = reason;
  if (outcome) filter.outcome = outcome;
  if (state) filter.state = state;
  if (text) filter.text = text;
  const tags = short('tag', MAX_TAGS * (MAX_TAG_CHARS + 1))
    ?.split(',')
    .map((tag) => tag.trim());
  const folder = short('folder', MAX_FOLDER);
  const since = moment('since', 0);
  const until = moment('until', 1);
  const archived = oneOf('archived', archivedChoices);
  const pinned = oneOf('pinned', { '0': true, '1': true });
  const family = short('family');
  if (tags?.some(Boolean)) filter.tags = tags.filter(Boolean);
  if (folder) filter.folder = folder;
  if (since !== undefined) filter.since = since;
  if (until !== undefined) filter.until = until;
  if (archived) filter.archived = archived;
  if (pinned) filter.pinned = pinned === '1';
  if (family) filter.family = family;
  return { filter, problems };
}

/**
 * The midnight at the beginning of a day such as `2026-11-21`, where the reader is; `undefined` for any other text.
 *
 * @param days are added to it
 */
export function readDay(text: string, days = 0): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  if (date.getMonth() !== Number(month) - 1) return undefined;
  date.setDate(date.getDate() + days);
  return date.getTime();
}

/** The day of a moment, as `readDay` reads it. @param days are added to it */
export function dayOf(at: number, days = 0): string {
  const date = new Date(at);
  date.setDate(date.getDate() + days);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The midnight at the start of the day, a number of days before now. */
export function daysAgo(days: number, now: number): number {
  const today = new Date(now);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - days).getTime();
}

/** A moment in a query: milliseconds since 1970, or a day. */
function momentOf(text: string, days: number): number | undefined {
  return /^\d{11,15}$/.test(text) ? Number(text) : readDay(text, days);
}

/** A moment as it is written: a day if it is midnight, else milliseconds. */
function writtenMoment(at: number, days: number, exact: boolean): string {
  return exact || at !== daysAgo(0, at) ? String(at) : dayOf(at, -days);
}

/**
 * Writes a filter into a query; other parameters are kept.
 *
 * @param options.exact writes times in milliseconds, for a server that may be in another time zone
 */
export function writeRunFilter(
  query: URLSearchParams,
  filter: RunFilter,
  { exact = false }: { exact?: boolean } = {},
): URLSearchParams {
  const { mode, model, reason, outcome, state, text, tags, folder, since, until, archived, pinned, family } =
    filter;
  const values: Record<(typeof RUN_FILTER_PARAMETERS)[number], string | undefined> = {
    ...{ mode, model, reason, outcome, state, text, folder, archived, family },
    tag: tags?.join(','),
    since: since === undefined ? undefined : writtenMoment(since, 0, exact),
    until: until === undefined ? undefined : writtenMoment(until, 1, exact),
    pinned: pinned === undefined ? undefined : pinned ? '1' : '0',
  };
  const written = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') written.delete(name);
    else written.set(name, value);
  }
  return written;
}

/** Whether a run matches. Every store filters by the same rules; a page uses this for live updates. */
export function passesFilter(run: RunSummary, filter: RunFilter): boolean {
  const { mode, model, reason, outcome, state } = filter;
  if (mode !== undefined && run.mode !== mode) return false;
  if (model !== undefined && !isSameModel(run.model, model)) return false;
  if (reason !== undefined && run.termination_reason !== reason) return false;
  if (outcome !== undefined && run.outcome?.kind !== outcome) return false;
  if (state === 'active' && run.phase === 'ended') return false;
  if (state === 'waiting' && !awaitsOperator(run.phase)) return false;
  if (state === 'ended' && run.phase !== 'ended') return false;
  if (!passesOwnFilter(run, filter)) return false;
  const text = asciiLower(`${run.title}\n${run.model}`);
  return filterWords(filter).every((word) => text.includes(word));
}

/** The conditions on what the store knows besides the log, and on the time. */
function passesOwnFilter(run: RunSummary, filter: RunFilter): boolean {
  const { tags = [], folder, since, until, archived, pinned, family } = filter;
  const { annotations } = run;
  if (archived !== 'all' && (annotations?.archived === true) !== (archived === 'only')) return false;
  if (pinned !== undefined && (annotations?.pinned === true) !== pinned) return false;
  if (folder !== undefined && run.folder !== folder) return false;
  if (family !== undefined && familyOf(run) !== family) return false;
  if (since !== undefined && run.created_at < since) return false;
  if (until !== undefined && run.created_at >= until) return false;
  return tags.every((tag) => annotations?.tags?.includes(tag));
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
