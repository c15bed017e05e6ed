import type { RunEvent } from '../events/registry.ts';
import { isSameStep, type Part, type Step, StepReader } from './steps.ts';

/** A compared text: complete, or an excerpt around the first difference. */
interface ShownText {
  text: string;
  seq: number;
  /** If the text is an excerpt: total length in characters, and where the excerpt starts. */
  cut?: { chars: number; from: number };
}

/** Two corresponding parts; one is missing if only one run has it. */
export interface PartPair {
  kind: Part['kind'];
  name: string;
  same: boolean;
  left?: ShownText;
  right?: ShownText;
}

/** The same iteration of both runs. */
export interface StepPair {
  /** Position of the iteration in its run, from 1. */
  position: number;
  same: boolean;
  left?: Pick<Step, 'attempt' | 'iteration' | 'cycle' | 'seq'>;
  right?: Pick<Step, 'attempt' | 'iteration' | 'cycle' | 'seq'>;
  /** One-line summary of the iteration, from a run that has it. */
  summary: string;
  /** Empty if both sides are equal or the texts are left out. */
  parts: PartPair[];
  /** The sides differ, but including their texts would exceed the limit (`Comparison.texts`). */
  left_out?: true;
}

export interface Comparison {
  /** Number of identical leading iterations. */
  same_until: number;
  /** Where the runs diverge, and in which part. Missing if the runs are identical. */
  divergence?: { position: number; kind: Part['kind'] | 'longer'; name: string };
  steps: StepPair[];
  /** The range of positions whose differing texts are included, if not all are. */
  texts?: { from: number; to: number };
}

/** Which texts to include: those of steps from a position on, up to a total size. */
export interface TextsWanted {
  from: number;
  maxChars: number;
}

export type Side = 'left' | 'right';

/** Longer texts are reduced to an excerpt around their first difference. */
const MAX_CHARS = 20_000;
const BEFORE_CHARS = 2000;
const SUMMARY_CHARS = 160;
/** Input for a summary: longer than the summary, because whitespace is collapsed. */
const SUMMARY_SOURCE_CHARS = 2000;

/**
 * Compares two event streams iteration by iteration, and within an iteration by kind and order. Steps are compared as
 * soon as both sides have them and then discarded, so memory use stays small if the logs are read in step (`behind`).
 */
export class Comparer {
  readonly #wanted: TextsWanted;
  readonly #sides = { left: new PendingSide(), right: new PendingSide() };
  readonly #steps: StepPair[] = [];
  #chars = 0;
  #texts: Comparison['texts'];
  #full = false;
  #first: Pick<Comparison, 'divergence' | 'same_until'> | undefined;

  constructor(wanted: TextsWanted) {
    this.#wanted = wanted;
  }

  /** The side to read next: the unfinished one with fewer steps. `undefined` if both have ended. */
  get behind(): Side | undefined {
    const { left, right } = this.#sides;
    if (left.over) return right.over ? undefined : 'right';
    return right.over || left.read <= right.read ? 'left' : 'right';
  }

  /** Where the runs diverge, as far as they have been read. */
  get divergence(): Comparison['divergence'] {
    return this.#first?.divergence;
  }

  /** Processes the next event of a side. @throws {AppError} `comparison_too_large` */
  take(side: Side, event: RunEvent): void {
    if (this.#sides[side].take(event)) this.#pair();
  }

  /** Marks the end of a side's log. */
  end(side: Side): void {
    this.#sides[side].end();
    this.#pair();
  }

  /** The comparison, once both logs have ended. */
  result(): Comparison {
    const leftOut = this.#steps.some((step) => step.left_out);
    return {
      ...(this.#first ?? { same_until: this.#steps.length }),
      steps: this.#steps,
      ...(leftOut ? { texts: this.#texts ?? { from: 0, to: 0 } } : {}),
    };
  }

  #pair(): void {
    const { left, right } = this.#sides;
    while ((left.ready || left.over) && (right.ready || right.over) && (left.ready || right.ready)) {
      this.#add(left.next(), right.next());
    }
  }

  #add(left: Step | undefined, right: Step | undefined): void {
    const position = this.#steps.length + 1;
    const same = left !== undefined && right !== undefined && isSameStep(left, right);
    const wanted = position >= this.#wanted.from && !this.#full;
    // Parts are only paired if they are shown, or to find the divergence.
    const pairs = same || (this.#first && !wanted) ? [] : pairParts(left?.parts ?? [], right?.parts ?? []);
    const shown = same || (wanted && this.#hasRoom(position, pairs));
    this.#steps.push({
      position,
      same,
      ...(left ? { left: placeOf(left) } : {}),
      ...(right ? { right: placeOf(right) } : {}),
      summary: summaryOf(left ?? right),
      parts: shown ? pairs : [],
      ...(shown ? {} : { left_out: true }),
    });
    if (same || this.#first) return;
    const part = pairs.find((each) => !each.same);
    const longer = !left || !right || !part;
    this.#first = {
      same_until: position - 1,
      divergence: { position, kind: longer ? 'longer' : part.kind, name: longer ? '' : part.name },
    };
  }

  /** Whether a step's texts still fit, and if so counts them. The first requested step always fits. */
  #hasRoom(position: number, pairs: readonly PartPair[]): boolean {
    const chars = pairs.reduce(
      (sum, { left, right }) => sum + (left?.text.length ?? 0) + (right?.text.length ?? 0),
      0,
    );
    this.#full = this.#texts !== undefined && this.#chars + chars > this.#wanted.maxChars;
    if (this.#full) return false;
    this.#chars += chars;
    this.#texts = { from: this.#texts?.from ?? position, to: position };
    return true;
  }
}

/** One side of a comparison: its steps that have no counterpart yet. */
class PendingSide {
  readonly #reader = new StepReader();
  readonly #steps: Step[] = [];
  /** Number of steps read so far. */
  read = 0;
  over = false;

  get ready(): boolean {
    return this.#steps.length > 0;
  }

  /** Whether the event completed a step. */
  take(event: RunEvent): boolean {
    return this.#add(this.#reader.take(event));
  }

  end(): void {
    this.#add(this.#reader.rest());
    this.over = true;
  }

  next(): Step | undefined {
    return this.#steps.shift();
  }

  #add(step: Step | undefined): boolean {
    if (!step) return false;
    this.#steps.push(step);
    this.read += 1;
    return true;
  }
}

function placeOf({ attempt, iteration, cycle, seq }: Step) {
  return { attempt, iteration, cycle, seq };
}

/** Pairs parts by kind and order: the second result of one run with the second of the other. */
function pairParts(left: readonly Part[], right: readonly Part[]): PartPair[] {
  const a = byKey(left);
  const b = byKey(right);
  return mergedOrder([...a.keys()], [...b.keys()]).map((key) => {
    const one = a.get(key);
    const other = b.get(key);
    const same =
      one !== undefined && other !== undefined && one.text === other.text && one.name === other.name;
    const long = one && other && Math.max(one.text.length, other.text.length) > MAX_CHARS;
    const from = long ? Math.max(0, firstDifference(one.text, other.text) - BEFORE_CHARS) : 0;
    const names = [...new Set([one?.name, other?.name])].filter((name) => name !== undefined).sort();
    return {
      kind: (one ?? other)?.kind ?? 'said',
      name: names.join(' / '),
      same,
      ...(one ? { left: shown(one, from) } : {}),
      ...(other ? { right: shown(other, from) } : {}),
    };
  });
}

/** Parts keyed by kind and ordinal. */
function byKey(parts: readonly Part[]): Map<string, Part> {
  const counts = new Map<Part['kind'], number>();
  return new Map(
    parts.map((part) => {
      const count = counts.get(part.kind) ?? 0;
      counts.set(part.kind, count + 1);
      return [`${part.kind} ${count}`, part];
    }),
  );
}

/** Merges both orders by index, then by name, so that the result does not depend on the sides. */
function mergedOrder(a: readonly string[], b: readonly string[]): string[] {
  const place = new Map<string, number>();
  for (const list of [a, b]) {
    for (const [index, key] of list.entries()) place.set(key, Math.max(place.get(key) ?? 0, index));
  }
  return [...place.keys()].sort((x, y) => {
    const by = (place.get(x) ?? 0) - (place.get(y) ?? 0);
    return by === 0 ? (x < y ? -1 : 1) : by;
  });
}

/** Whole chunks are compared first, which is much faster than character by character. */
const STRETCH_CHARS = 16_384;

function firstDifference(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let index = 0;
  for (let end = STRETCH_CHARS; end <= length && a.slice(index, end) === b.slice(index, end); ) {
    index = end;
    end += STRETCH_CHARS;
  }
  while (index < length && a[index] === b[index]) index += 1;
  return index;
}

function shown({ text, seq }: Part, from: number): ShownText {
  if (text.length <= MAX_CHARS) return { text, seq };
  const start = Math.min(from, Math.max(0, text.length - MAX_CHARS));
  return {
    text: detached(text.slice(start, start + MAX_CHARS)),
    seq,
    cut: { chars: text.length, from: start },
  };
}

/** A short summary of what the model did in a step. */
export function summaryOf(step: Step | undefined): string {
  const calls = step?.parts.filter(({ kind }) => kind === 'call').map(({ name }) => name) ?? [];
  const text = step?.parts.find(({ kind }) => kind === 'text')?.text ?? '';
  const said = text.slice(0, SUMMARY_SOURCE_CHARS).trim().replaceAll(/\s+/g, ' ');
  const words = [calls.join(', '), said].filter((each) => each !== '').join(': ');
  return detached(words.length <= SUMMARY_CHARS ? words : `${words.slice(0, SUMMARY_CHARS)}…`);
}

/** A well-formed copy. A plain substring would keep the whole original text in memory. */
function detached(stretch: string): string {
  return String(JSON.parse(JSON.stringify(stretch.toWellFormed())));
}
