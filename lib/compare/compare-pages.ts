import { type Agreement, agreementOfTraces, firstApart, TraceReader } from './agreement.ts';
import { Comparer, type Comparison, type TextsWanted } from './compare.ts';
import type { Pages } from './pages.ts';

/**
 * Compares two runs from logs that are read in step: each event is read once, and only one page and the current step
 * per side are in memory. Swapping the sides mirrors the result.
 *
 * @throws the signal's reason, and `comparison_too_large`
 */
export async function comparePages(options: {
  left: Pages;
  right: Pages;
  texts: TextsWanted;
  signal: AbortSignal;
}): Promise<Comparison> {
  const comparer = new Comparer(options.texts);
  await readInStep(comparer, options, { enough: () => false });
  return comparer.result();
}

/**
 * Finds how far runs that should be identical agree, reading the logs one after another. The first two runs that
 * differ are read a second time, up to the divergence, to find its cause.
 *
 * @param logs functions that each read a log from its start
 * @throws the signal's reason, and `comparison_too_large`
 */
export async function agreementOfPages(
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
  { enough }: { enough: () => boolean },
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
      for (const event of value) comparer.take(side, event);
    }
  } finally {
    await Promise.all([pages.left.return?.(), pages.right.return?.()]);
  }
}
