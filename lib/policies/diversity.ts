import type { EventOf } from '../events/registry.ts';
import type { Reflection } from '../events/run-state.ts';
import { cosineSimilarity, ngramSimilarity } from '../util/similarity.ts';
import type { ReadyState, Rule } from './rule.ts';

type Advice = Omit<EventOf<'diversity.advised'>, 'run_id' | 'seq' | 'at'>;

/** How alike two reflections are, 0 to 1. */
type Measure = (last: Reflection, earlier: Reflection) => number;

/**
 * Compares the last reflection with earlier ones and detects when the exploration goes in circles (X21). Pure: it
 * only advises.
 */
export class SimilarityMonitor {
  readonly #threshold: number;
  readonly #window: number;

  /**
   * @param options.threshold similarity, 0 to 1, at or above which feedback is given
   * @param options.window how many earlier reflections the last one is compared with
   */
  constructor(options: { threshold: number; window: number }) {
    this.#threshold = options.threshold;
    this.#window = options.window;
  }

  /** The last reflection and the earlier ones to compare it with; `undefined` if there are none. */
  compared(
    reflections: readonly Reflection[],
  ): { last: Reflection; earlier: readonly Reflection[] } | undefined {
    const last = reflections.at(-1);
    const earlier = reflections.slice(-1 - this.#window, -1);
    return last && earlier.length > 0 ? { last, earlier } : undefined;
  }

  /** Advice for the next cycle; `undefined` if there is nothing to compare. */
  advise(
    reflections: readonly Reflection[],
    { cycle, measure, similarity }: { cycle: number; measure: Advice['measure']; similarity: Measure },
  ): Advice | undefined {
    const pair = this.compared(reflections);
    if (!pair) return undefined;
    const ranked = pair.earlier
      .map((earlier) => ({ cycle: earlier.cycle, similarity: similarity(pair.last, earlier) }))
      .sort((a, b) => b.similarity - a.similarity || b.cycle - a.cycle);
    const [nearest] = ranked;
    if (!nearest) return undefined;
    return {
      type: 'diversity.advised',
      cycle,
      measure,
      similarity: nearest.similarity,
      threshold: this.#threshold,
      nearest_cycle: nearest.cycle,
      compared: pair.earlier.map((earlier) => earlier.cycle),
      ...(nearest.similarity >= this.#threshold
        ? { feedback: feedbackText(pair.last.cycle, nearest.cycle, nearest.similarity) }
        : {}),
    };
  }
}

function feedbackText(last: number, nearest: number, similarity: number): string {
  return (
    `Note of the system: the reflection of cycle ${last} is ${Math.round(similarity * 100)} % like that of cycle ${nearest}. ` +
    'Consider exploring something that you have not explored yet.'
  );
}

/** Compares the last reflections before the first call of a cycle, if enabled (X21). */
export const adviseDiversity: Rule = (state) => {
  const settings = state.config.explore?.diversity;
  const cycle = state.cycle.number;
  if (!settings || !state.cycle.open || state.diversity?.cycle === cycle) return undefined;
  if (state.iteration > state.cycle.iterationsBefore) return undefined;
  const monitor = new SimilarityMonitor(settings);
  if (!monitor.compared(state.reflections)) return undefined;
  if (settings.embedding_model !== undefined) {
    return { type: 'compare-reflections', model: settings.embedding_model, cycle };
  }
  const advice = adviceByWords(state);
  return advice && { type: 'append', events: [advice] };
};

/**
 * Compares the final reflection by embeddings before the exploration ends. No further cycle would trigger the
 * comparison, and its novelty must be measured like that of the others.
 */
export const measureLastReflection: Rule = (state) => {
  const { diversity: settings, max_cycles: limit } = state.config.explore ?? {};
  const { open, number } = state.cycle;
  const last = state.reflections.at(-1);
  if (settings?.embedding_model === undefined || open || state.stop || last?.cycle !== number)
    return undefined;
  if (limit === null || limit === undefined || number < limit) return undefined;
  if ((state.diversity?.seq ?? 0) > last.seq) return undefined;
  if (!new SimilarityMonitor(settings).compared(state.reflections)) return undefined;
  return { type: 'compare-reflections', model: settings.embedding_model, cycle: number };
};

/** Advice based on word n-grams, which needs no model. */
export function adviceByWords(state: ReadyState): Advice | undefined {
  return adviceBy(state, 'ngram', (last, earlier) => ngramSimilarity(last.text, earlier.text));
}

function adviceBy(state: ReadyState, measure: Advice['measure'], similarity: Measure): Advice | undefined {
  const settings = state.config.explore?.diversity;
  if (!settings) return undefined;
  const { number: cycle, open } = state.cycle;
  const advice = new SimilarityMonitor(settings).advise(state.reflections, { cycle, measure, similarity });
  if (!advice || open) return advice;
  // After the last cycle no model call follows that could use the feedback.
  const { feedback: _, ...measured } = advice;
  return measured;
}

/** The reflections to embed for the advice, the last one first. */
export function reflectionsToCompare(state: ReadyState): readonly Reflection[] {
  const settings = state.config.explore?.diversity;
  const pair = settings && new SimilarityMonitor(settings).compared(state.reflections);
  return pair ? [pair.last, ...pair.earlier] : [];
}

/**
 * Advice based on the embeddings of `reflectionsToCompare`, in the same order.
 *
 * @returns `undefined` when the number of vectors does not match the number of reflections
 */
export function adviceByEmbeddings(
  state: ReadyState,
  vectors: readonly (readonly number[])[],
): Advice | undefined {
  const settings = state.config.explore?.diversity;
  const texts = reflectionsToCompare(state);
  if (!settings || texts.length === 0 || vectors.length !== texts.length) return undefined;
  const vectorOf = new Map(texts.map((reflection, index) => [reflection, vectors[index] ?? []]));
  return adviceBy(state, 'embeddings', (last, earlier) =>
    cosineSimilarity(vectorOf.get(last) ?? [], vectorOf.get(earlier) ?? []),
  );
}
