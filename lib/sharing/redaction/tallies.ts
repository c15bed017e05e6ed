import type { FindingGroup, FindingKind } from './match.ts';

/** One kind of thing that was found, over all that went through the redactor. */
export interface Finding {
  kind: FindingKind;
  group: FindingGroup;
  /** Distinct values. */
  values: number;
  /** Places in all. */
  places: number;
  /** Sequence numbers of the first events it stands in, at most 20. */
  seqs: number[];
  /** The beginning and the end of the first value, enough to recognise it. */
  hint: string;
  /** Left readable, because the caller asked for this kind. */
  shown: boolean;
}

interface Tally {
  group: FindingGroup;
  numbers: Map<string, number>;
  places: number;
  seqs: Set<number>;
  hint: string;
}

const MAX_SEQS = 20;

/** What was found, by kind: a number for each value, and the places that were counted. */
export class Tallies {
  readonly #isShown: (kind: FindingKind) => boolean;
  readonly #tallies = new Map<FindingKind, Tally>();
  /** Found since the last count. */
  #noted: Tally[] = [];

  constructor(isShown: (kind: FindingKind) => boolean) {
    this.#isShown = isShown;
  }

  /** Notes a place of a value. Returns the value's number among those of its kind, from 1. */
  note(kind: FindingKind, group: FindingGroup, value: string): number {
    let tally = this.#tallies.get(kind);
    if (!tally) {
      tally = { group, numbers: new Map(), places: 0, seqs: new Set(), hint: hintOf(value) };
      this.#tallies.set(kind, tally);
    }
    let number = tally.numbers.get(value);
    if (number === undefined) {
      number = tally.numbers.size + 1;
      tally.numbers.set(value, number);
    }
    this.#noted.push(tally);
    return number;
  }

  /** Counts the places that were noted, as those of one event. */
  count(seq: number | undefined): void {
    for (const tally of this.#noted) {
      tally.places += 1;
      if (seq !== undefined && tally.seqs.size < MAX_SEQS) tally.seqs.add(seq);
    }
    this.#noted = [];
  }

  /** The places that were noted and not counted count no more. */
  forgetNoted(): void {
    this.#noted = [];
  }

  /** Does something whose places are counted elsewhere. */
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
      .map(([kind, { group, numbers, places, seqs, hint }]) => ({
        kind,
        group,
        values: numbers.size,
        places,
        seqs: [...seqs],
        hint,
        shown: this.#isShown(kind),
      }));
  }

  /** Distinct values that were masked, counted or not. */
  masked(): number {
    return [...this.#tallies].reduce(
      (sum, [kind, { numbers }]) => sum + (this.#isShown(kind) ? 0 : numbers.size),
      0,
    );
  }
}

/** Enough of a value to recognise it, never half of it. */
function hintOf(value: string): string {
  if (value.length < 12) return `${value.slice(0, 1)}…`;
  return `${value.slice(0, 4)}…${value.slice(-2)}`;
}
