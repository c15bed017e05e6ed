import type { RunEvent } from '../events/registry.ts';
import { type Agreement, agreementOfTraces, firstApart, TraceReader } from './agreement.ts';
import { Comparer, type Comparison, type Side, type TextsWanted } from './compare.ts';
import { ConditionReader, type Conditions, FigureReader, type Figures } from './figures.ts';

/** A log page by page. Others get their turn while a page is fetched: between two pages nothing is computed. */
export type Pages = AsyncIterable<readonly RunEvent[]>;

interface Found {
  figures: Figures;
  conditions: Conditions;
}

/**
 * Two runs side by side, out of logs that are read in step: each event once, and no more of them in memory than a page of
 * each and the step in hand. The mirror image of the comparison the other way round.
 *
 * @throws what the signal was fired with, and `comparison_too_large`
 */
export async function compareInTurns(options: {
  left: Pages;
  right: Pages;
  texts: TextsWanted;
  signal: AbortSignal;
}): Promise<{ left: Found; right: Found; comparison: Comparison }> {
  const comparer = new Comparer(options.texts);
  const readers = { left: new SideReader(), right: new SideReader() };
  await readInStep(comparer, options, {
    onEvent: (side, event) => readers[side].take(event),
    enough: () => false,
  });
  const { left, right } = readers;
  return { left: left.found(), right: right.found(), comparison: comparer.result() };
}

class SideReader {
  readonly #figures = new FigureReader();
  readonly #conditions = new ConditionReader();

  take(event: RunEvent): void {
    this.#figures.take(event);
    this.#conditions.take(event);
  }

  found(): Found {
    return { figures: this.#figures.figures(), conditions: this.#conditions.conditions() };
  }
}

/**
 * Up to where runs that were meant to be the same agree, out of logs that are read one after the other. Those that say
 * why runs parted are read a second time, up to there.
 *
 * @param logs each brings a log from its beginning whenever it is called
 * @throws what the signal was fired with, and `comparison_too_large`
 */
export async function agreementInTurns(
  logs: readonly (() => Pages)[],
  signal: AbortSignal,
): Promise<Agreement> {
  const traces = [];
  for (const log of logs) {
    const reader = new TraceReader();
    for await (const page of log()) {
      signal.throwIfAborted();
      for (const event of page) reader.take(event);
    }
    traces.push(reader.trace());
  }
  const [first] = logs;
  const other = logs[firstApart(traces) ?? -1];
  if (!first || !other) return agreementOfTraces(traces, undefined);
  const comparer = new Comparer({ from: 1, maxChars: 0 });
  const sides = { left: first(), right: other(), signal };
  await readInStep(comparer, sides, { enough: () => comparer.divergence !== undefined });
  return agreementOfTraces(traces, comparer.divergence);
}

async function readInStep(
  comparer: Comparer,
  { left, right, signal }: { left: Pages; right: Pages; signal: AbortSignal },
  { onEvent, enough }: { onEvent?: (side: Side, event: RunEvent) => void; enough: () => boolean },
): Promise<void> {
  const pages = { left: left[Symbol.asyncIterator](), right: right[Symbol.asyncIterator]() };
  try {
    for (let side = comparer.behind; side !== undefined && !enough(); side = comparer.behind) {
      const { done, value } = await pages[side].next();
      signal.throwIfAborted();
      if (done) {
        comparer.end(side);
        continue;
      }
      for (const event of value) {
        onEvent?.(side, event);
        comparer.take(side, event);
      }
    }
  } finally {
    await Promise.all([pages.left.return?.(), pages.right.return?.()]);
  }
}
