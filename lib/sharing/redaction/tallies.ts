import type { FindingGroup, FindingKind } from './match.ts';

/** One kind of finding, across everything the redactor has processed. */
export interface Finding {
  kind: FindingKind;
  group: FindingGroup;
  /** Distinct values. */
  values: number;
  /** Total occurrences. */
  places: number;
  /** Sequence numbers of the first events that contain it, at most 20. */
  seqs: number[];
  /** The start and end of the first value, enough to recognize it. */
  hint: string;
  /** Whether it is left readable, as requested. */
  shown: boolean;
}

interface Tally {
  group: FindingGroup;
  numbers: Map<string, number>;
  /** Numbers of the values that were counted; others were only learned, from parts that do not leave. */
  counted: Set<number>;
  places: number;
  seqs: Set<number>;
  hint: string;
}

const MAX_SEQS = 20;

/** Findings by kind: a number for each value, and the occurrences counted. */
export class Tallies {
  readonly #isShown: (kind: FindingKind) => boolean;
  readonly #tallies = new Map<FindingKind, Tally>();
  /** Occurrences since the last count. */
  #noted: { tally: Tally; number: number }[] = [];

  constructor(isShown: (kind: FindingKind) => boolean) {
    this.#isShown = isShown;
  }

  /** Notes an occurrence of a value. Returns the value's number within its kind, from 1. */
  note(kind: FindingKind, group: FindingGroup, value: string): number {
    let tally = this.#tallies.get(kind);
    if (!tally) {
      tally = {
        group,
        numbers: new Map(),
        counted: new Set(),
        places: 0,
        seqs: new Set(),
        hint: hintOf(value),
      };
      this.#tallies.set(kind, tally);
    }
    let number = tally.numbers.get(value);
    if (number === undefined) {
      number = tally.numbers.size + 1;
      tally.numbers.set(value, number);
    }
    this.#noted.push({ tally, number });
    return number;
  }

  /** Counts the noted occurrences, for one event. */
  count(seq: number | undefined): void {
    for (const { tally, number } of this.#noted) {
      tally.places += 1;
      tally.counted.add(number);
      if (seq !== undefined && tally.seqs.size < MAX_SEQS) tally.seqs.add(seq);
    }
    this.#noted = [];
  }

  /** Discards noted occurrences that were not counted. */
  forgetNoted(): void {
    this.#noted = [];
  }

  /** Runs `work` without noting its occurrences, because they are counted elsewhere. */
  unnoted<Result>(work: () => Result): Result {
    const before = this.#noted;
    this.#noted = [];
    const result = work();
    this.#noted = before;
    return result;
  }

  findings(): Finding[] {
    return [...this.#tallies]
      .filter(([, { places }]) => places > 0)
      .map(([kind, { group, counted, places, seqs, hint }]) => ({
        kind,
        group,
        values: counted.size,
        places,
        seqs: [...seqs],
        hint,
        shown: this.#isShown(kind),
      }));
  }

  /** The number of distinct redacted values, counted or not. */
  masked(): number {
    return [...this.#tallies].reduce(
      (sum, [kind, { numbers }]) => sum + (this.#isShown(kind) ? 0 : numbers.size),
      0,
    );
  }
}

/** Enough of a value to recognize it, but never half of it. */
function hintOf(value: string): string {
  if (value.length < 12) return `${value.slice(0, 1)}…`;
  return `${value.slice(0, 4)}…${value.slice(-2)}`;
}
