import type { EventOf } from '../events/registry.ts';
import type { Reflection } from '../events/run-state.ts';
import { cosineSimilarity, ngramSimilarity } from '../util/similarity.ts';
import type { ReadyState, Rule } from './rule.ts';

type Advice = Omit<EventOf<'diversity.advised'>, 'run_id' | 'seq' | 'at'>;

/** How alike two reflections are, 0 to 1. */
type Measure = (last: Reflection, earlier: Reflection) => number;

/**
 * Compares the last reflection with those before it and says when the exploration goes in circles (X21). Pure: it gives
 * advice and decides nothing.
 */
export class SimilarityMonitor {
  readonly #threshold: number;
  readonly #window: number;

  /**
   * @param options.threshold similarity, 0 to 1, from which feedback is given
   * @param options.window how many earlier reflections the last one is compared with
   */
  constructor(options: { threshold: number; window: number }) {
    this.#threshold = options.threshold;
    this.#window = options.window;
  }

  /** The last reflection and those it is compared with; `undefined` while there is nothing to compare. */
  compared(
    reflections: readonly Reflection[],
  ): { last: Reflection; earlier: readonly Reflection[] } | undefined {
    const last = reflections.at(-1);
    const earlier = reflections.slice(-1 - this.#window, -1);
    return last && earlier.length > 0 ? { last, earlier } : undefined;
  }

  /** Advice for the cycle that begins; `undefined` while there is nothing to compare. */
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

/** Compares the last reflections before the first call of a cycle, when that is switched on (X21). */
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

/** Advice by groups of words: the measure that needs no model. */
export function adviceByWords(state: ReadyState): Advice | undefined {
  const settings = state.config.explore?.diversity;
  return (
    settings &&
    new SimilarityMonitor(settings).advise(state.reflections, {
      cycle: state.cycle.number,
      measure: 'ngram',
      similarity: (last, earlier) => ngramSimilarity(last.text, earlier.text),
    })
  );
}

/** The reflections whose embeddings the advice needs, the last one first. */
export function reflectionsToCompare(state: ReadyState): readonly Reflection[] {
  const settings = state.config.explore?.diversity;
  const pair = settings && new SimilarityMonitor(settings).compared(state.reflections);
  return pair ? [pair.last, ...pair.earlier] : [];
}

/**
 * Advice by the embeddings of `reflectionsToCompare`, in their order.
 *
 * @returns `undefined` when there are not as many vectors as reflections
 */
export function adviceByEmbeddings(
  state: ReadyState,
  vectors: readonly (readonly number[])[],
): Advice | undefined {
  const settings = state.config.explore?.diversity;
  const texts = reflectionsToCompare(state);
  if (!settings || texts.length === 0 || vectors.length !== texts.length) return undefined;
  const vectorOf = new Map(texts.map((reflection, index) => [reflection, vectors[index] ?? []]));
  return new SimilarityMonitor(settings).advise(state.reflections, {
    cycle: state.cycle.number,
    measure: 'embeddings',
    similarity: (last, earlier) => cosineSimilarity(vectorOf.get(last) ?? [], vectorOf.get(earlier) ?? []),
  });
}
