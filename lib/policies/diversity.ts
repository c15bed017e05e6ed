import { MAX_VECTOR_LENGTH } from '../events/limits.ts';
import { isComparable, nearestReflection, recordedVector } from '../events/reflection-similarity.ts';
import type { EventOf } from '../events/registry.ts';
import type { Reflection } from '../events/run-state.ts';
import { formatPercent } from '../util/numbers.ts';
import type { ReadyState, Rule } from './rule.ts';

type Advice = Omit<EventOf<'diversity.advised'>, 'run_id' | 'seq' | 'at'>;

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

  /**
   * The last reflection and the earlier ones to compare it with; `undefined` if there are none. Reflections without a word
   * are left out.
   */
  compared(
    reflections: readonly Reflection[],
  ): { last: Reflection; earlier: readonly Reflection[] } | undefined {
    const last = reflections.at(-1);
    const earlier = reflections.slice(-1 - this.#window, -1).filter(isComparable);
    return last && isComparable(last) && earlier.length > 0 ? { last, earlier } : undefined;
  }

  /** Advice for the next cycle; `undefined` if there is nothing to compare. */
  advise(
    reflections: readonly Reflection[],
    { cycle, measure }: Pick<Advice, 'cycle' | 'measure'>,
  ): Advice | undefined {
    const pair = this.compared(reflections);
    const found = pair && nearestReflection(pair.last, pair.earlier, measure);
    if (!found) return undefined;
    const { nearest, similarity } = found;
    return {
      type: 'diversity.advised',
      cycle,
      measure,
      similarity,
      threshold: this.#threshold,
      nearest_cycle: nearest.cycle,
      compared: pair.earlier.map((earlier) => earlier.cycle),
      ...(similarity >= this.#threshold
        ? { feedback: feedbackText(pair.last.cycle, nearest.cycle, similarity) }
        : {}),
    };
  }
}

function feedbackText(last: number, nearest: number, similarity: number): string {
  return (
    `System note: the reflection of cycle ${last} is ${formatPercent(similarity)} similar to that of cycle ${nearest}. ` +
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
  return adviceBy(state, 'ngram', state.reflections);
}

function adviceBy(
  { config, cycle: { number: cycle, open } }: ReadyState,
  measure: Advice['measure'],
  reflections: readonly Reflection[],
): Advice | undefined {
  const settings = config.explore?.diversity;
  if (!settings) return undefined;
  const advice = new SimilarityMonitor(settings).advise(reflections, { cycle, measure });
  // After the last cycle, no model call could use the feedback; and some runs only measure.
  if (!advice || (open && config.diversity_feedback !== false)) return advice;
  const { feedback: _, ...measured } = advice;
  return measured;
}

/** The reflections to embed for the advice: those to compare that have no recorded embedding yet. */
export function reflectionsToEmbed(state: ReadyState): readonly Reflection[] {
  const settings = state.config.explore?.diversity;
  const pair = settings && new SimilarityMonitor(settings).compared(state.reflections);
  return pair ? [...pair.earlier, pair.last].filter(({ vector }) => !vector) : [];
}

/**
 * Advice based on embeddings: the recorded ones, and those of `reflectionsToEmbed` in the same order, which it records.
 *
 * @returns `undefined` when the vectors do not match the reflections, or cannot be compared
 */
export function adviceByEmbeddings(
  state: ReadyState,
  vectors: readonly (readonly number[])[],
): Advice | undefined {
  const texts = reflectionsToEmbed(state);
  if (vectors.length !== texts.length) return undefined;
  if (vectors.some(({ length }) => length === 0 || length > MAX_VECTOR_LENGTH)) return undefined;
  const recorded = texts.map(({ cycle }, index) => ({ cycle, vector: recordedVector(vectors[index] ?? []) }));
  const vectorOf = new Map(recorded.map(({ cycle, vector }) => [cycle, vector]));
  const reflections = state.reflections.map((reflection) => {
    const vector = vectorOf.get(reflection.cycle);
    return vector ? { ...reflection, vector } : reflection;
  });
  const advice = adviceBy(state, 'embeddings', reflections);
  return advice && { ...advice, ...(recorded.length > 0 && { vectors: recorded }) };
}
