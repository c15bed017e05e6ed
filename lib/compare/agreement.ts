import { createHash } from 'node:crypto';
import type { EventOf, RunEvent } from '../events/registry.ts';
import { withoutNamedOptions } from '../events/sent-options.ts';
import { formatCount, formatPercent } from '../util/numbers.ts';
import { type Comparison, summaryOf } from './compare.ts';
import { ConditionReader, type Conditions } from './figures.ts';
import { type Step, StepReader } from './steps.ts';

/** Runs that are identical up to and including an iteration, and a summary of that iteration. */
interface Variant {
  /** Indexes of the runs, from 0, in order. */
  runs: number[];
  summary: string;
}

/** How far several runs of one configuration agree. */
export interface Agreement {
  runs: number;
  /** Leading iterations that are identical in all runs. */
  agreed: number;
  /** Iterations of the longest run. */
  steps: number;
  /**
   * Per iteration, up to 1000: groups of runs that are still identical, largest first. Runs that have ended are
   * missing.
   */
  levels: Variant[][];
  /** The level at which the runs diverge, even beyond the listed levels. Missing if they do not. */
  parted?: Variant[];
  /** Number of distinct runs. */
  variants: number;
  /** Possible causes of the divergence, most likely first, each as a sentence. */
  causes: string[];
}

/** A digest of a run, sufficient to tell whether another run did the same. */
export interface Trace {
  /** Per iteration: a hash that is equal if the same was said and done. */
  prints: string[];
  /** Per iteration: a short summary. */
  summaries: string[];
  conditions: Conditions;
  options: EventOf<'run.created'>['config']['model_options'];
}

/** Longer runs are truncated to this length. */
const MAX_LEVELS = 1000;

/** Builds the trace of a run from its event stream. */
export class TraceReader {
  readonly #steps = new StepReader();
  readonly #conditions = new ConditionReader();
  readonly #prints: string[] = [];
  readonly #summaries: string[] = [];
  #options: Trace['options'] = {};

  /** Processes the next event. @throws {AppError} `comparison_too_large` */
  take(event: RunEvent): void {
    if (event.type === 'run.created') this.#options = withoutNamedOptions(event.config.model_options);
    this.#conditions.take(event);
    this.#add(this.#steps.take(event));
  }

  /** The trace, once the log has ended. */
  trace(): Trace {
    this.#add(this.#steps.rest());
    return {
      prints: this.#prints,
      summaries: this.#summaries,
      conditions: this.#conditions.conditions(),
      options: this.#options,
    };
  }

  #add(step: Step | undefined): void {
    if (!step) return;
    this.#prints.push(printOf(step));
    this.#summaries.push(summaryOf(step));
  }
}

/** A hash of a step: equal for two steps exactly if the same was said and done. */
function printOf({ parts }: Step): string {
  const hash = createHash('sha256');
  for (const { kind, name, text } of parts) {
    hash.update(JSON.stringify([kind, name, text.length]));
    hash.update(text, 'utf16le');
  }
  return hash.digest('base64');
}

/** Index of the run that diverges from run 0 in the earliest iteration, where `agreed` ends; the first of several. */
export function firstApart([first, ...others]: readonly Trace[]): number | undefined {
  const apart = others.map(({ prints }) => sameUntil(first?.prints ?? [], prints));
  const earliest = Math.min(...apart.flatMap((until) => until ?? []));
  const found = apart.indexOf(earliest);
  return found < 0 ? undefined : found + 1;
}

/** Number of equal leading iterations; `undefined` if all are equal. */
function sameUntil(one: readonly string[], other: readonly string[]): number | undefined {
  const until = one.findIndex((print, index) => print !== other[index]);
  if (until >= 0) return until;
  return other.length > one.length ? one.length : undefined;
}

/**
 * Finds how far runs that should be identical agree. Pure; the order of the traces only affects indexes.
 *
 * @param divergence where run 0 and `firstApart` diverge
 */
export function agreementOfTraces(traces: readonly Trace[], divergence: Comparison['divergence']): Agreement {
  const longest = Math.max(0, ...traces.map(({ prints }) => prints.length));
  // Numbers each run's history up to an iteration: equal for runs that did the same.
  let paths = traces.map(() => 0);
  const levels: Variant[][] = [];
  let agreed = longest;
  let parted: Variant[] | undefined;
  for (let depth = 0; depth < longest; depth += 1) {
    const numbers = new Map<string, number>();
    const next = paths.map((path, run) => {
      const key = `${path} ${traces[run]?.prints[depth] ?? ''}`;
      const known = numbers.get(key) ?? numbers.size;
      numbers.set(key, known);
      return known;
    });
    paths = next;
    if (parted && levels.length >= MAX_LEVELS) continue;
    const level = levelAt(traces, paths, depth);
    if (levels.length < MAX_LEVELS) levels.push(level);
    if (parted || level[0]?.runs.length === traces.length) continue;
    agreed = depth;
    parted = level;
  }
  return {
    runs: traces.length,
    agreed,
    steps: longest,
    levels,
    ...(parted ? { parted } : {}),
    variants: new Set(paths).size,
    causes: parted ? causesOf(traces, divergence) : [],
  };
}

function levelAt(traces: readonly Trace[], paths: readonly number[], depth: number): Variant[] {
  const groups = new Map<number, number[]>();
  for (const [run, path] of paths.entries()) {
    if (traces[run]?.prints[depth] === undefined) continue;
    const group = groups.get(path);
    if (group) group.push(run);
    else groups.set(path, [run]);
  }
  return [...groups.values()]
    .sort((a, b) => b.length - a.length || (a[0] ?? 0) - (b[0] ?? 0))
    .map((runs) => ({ runs, summary: traces[runs[0] ?? 0]?.summaries[depth] ?? '' }));
}

/** Derives likely causes of a divergence from the logs. */
function causesOf(traces: readonly Trace[], divergence: Comparison['divergence']): string[] {
  const conditions = traces.map((trace) => trace.conditions);
  const differ = <Key extends keyof Conditions>(key: Key) =>
    [...new Set(conditions.map((each) => each[key]).filter((value) => value !== undefined))].map(String);
  const { temperature, seed } = traces[0]?.options ?? {};
  const causes: string[] = [];
  if (divergence?.kind === 'result') {
    causes.push(
      `A tool (${divergence.name}) returned a different result first: the difference came from files or commands, not from the model.`,
    );
  }
  if (divergence?.kind === 'said' || divergence?.kind === 'edit') {
    causes.push('The runs were given different messages.');
  }
  const digests = differ('digest');
  if (digests.length > 1)
    causes.push(`The model itself changed between the runs (${digests.length} digests).`);
  const versions = differ('server_version');
  if (versions.length > 1) causes.push(`Ollama was updated between the runs: ${versions.join(', ')}.`);
  const windows = differ('context_tokens');
  if (windows.length > 1)
    causes.push(
      `The window in effect differed: ${windows.map((window) => formatCount(Number(window))).join(' and ')} tokens.`,
    );
  const thinking = differ('think');
  if (thinking.length > 1) causes.push(`Thinking differed: ${thinking.join(' and ')} was sent as think.`);
  if (temperature !== 0 && seed === undefined) {
    causes.push(
      temperature === undefined
        ? 'Neither temperature nor seed is set: the model samples different tokens each time.'
        : `Temperature ${String(temperature)} without a seed: the model samples different tokens each time.`,
    );
  }
  if (differ('warm').length > 1) {
    causes.push(
      'Some runs started with the model loaded and its cache warm, others did not: the same computation can round differently.',
    );
  }
  // In percent, as pages show it.
  const shares = conditions.flatMap(({ gpu_share: share }) => share ?? []).map(formatPercent);
  if (new Set(shares).size > 1) causes.push('The share of the model on the GPU differed.');
  if (causes.length === 0) {
    causes.push(
      'Settings and conditions were the same: batching and the prompt cache of the server can still cause rounding differences.',
    );
  }
  return causes;
}
