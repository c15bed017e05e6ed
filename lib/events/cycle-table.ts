import type { CsvValue } from '../util/csv.ts';
import { mean } from '../util/mean.ts';
import { MAX_MATRIX_REFLECTIONS } from './limits.ts';
import { type Comparable, reflectionSimilarity } from './reflection-similarity.ts';
import { WITHHELD } from './share-scopes.ts';
import type { SimilarityMatrix, SimilarityMeasure } from './similarity-matrix.ts';
import type { Cycle, Cycles, MemoryChange } from './timeline.ts';

/** One cycle of an exploration as a row of a table; what was not measured is missing. */
export interface CycleRow {
  readonly cycle: number;
  /** The event that started it. */
  readonly seq: number;
  readonly model_calls: number;
  readonly tool_calls: number;
  readonly failed_tool_calls: number;
  /** Calls by tool. */
  readonly tools: Readonly<Record<string, number>>;
  /**
   * Keys and characters (of keys and values) of the memory at the end of the cycle, and by how much they grew in it.
   * Missing where memories are withheld from the reader.
   */
  readonly memory_keys?: number;
  readonly memory_keys_growth?: number;
  readonly memory_chars?: number;
  readonly memory_chars_growth?: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly tokens_estimated: number;
  /** Messages to the operator. */
  readonly messages: number;
  readonly novelty?: number;
  /** How the novelty was measured: by words where embeddings failed. */
  readonly novelty_measure?: SimilarityMeasure;
  /**
   * Mean dissimilarity of all pairs of reflections up to this cycle, 0 to 1. Of more than 120 reflections, 120 that are
   * evenly spaced count, and the cycles of the others have no diversity.
   */
  readonly diversity?: number;
  readonly ended_by?: Cycle['endedBy'];
}

/** The results of an exploration's cycles. */
export interface CycleTable {
  /** How the diversity was measured. */
  readonly measure: SimilarityMeasure;
  readonly rows: readonly CycleRow[];
}

/** Whether the keys and values are withheld from the reader, so that nobody can tell one memory from another. */
export function isMemoryWithheld(changes: readonly MemoryChange[]): boolean {
  return changes.some(({ key }) => key === WITHHELD);
}

interface MemorySize {
  readonly cycle: number;
  readonly keys: number;
  readonly chars: number;
}

/** The size of the memory after each cycle; empty if the memory is withheld. Pure. */
export function memorySizes(cycles: readonly Cycle[], changes: readonly MemoryChange[]): MemorySize[] {
  if (isMemoryWithheld(changes)) return [];
  const values = new Map<string, string>();
  let chars = 0;
  let next = 0;
  return cycles.map(({ number }) => {
    for (let change = changes[next]; change && change.cycle <= number; change = changes[next]) {
      next += 1;
      const { key, value } = change;
      const before = values.get(key);
      if (before !== undefined) chars -= key.length + before.length;
      if (value === undefined) values.delete(key);
      else {
        values.set(key, value);
        chars += key.length + value.length;
      }
    }
    return { cycle: number, keys: values.size, chars };
  });
}

/** The measure of a run's figures: the same as for its feedback. Embeddings count only if the log has them. */
function measureOf({ embeddingModel, cycles }: Cycles): SimilarityMeasure {
  return embeddingModel !== undefined && cycles.some(({ vector }) => vector) ? 'embeddings' : 'ngram';
}

/** The table of an exploration, cycle by cycle. Pure. */
export function cycleTable(cycles: Cycles): CycleTable {
  const measure = measureOf(cycles);
  const sizes = memorySizes(cycles.cycles, cycles.changes);
  const diversity = diversityByCycle(cycles, measure);
  const rows = cycles.cycles.map((cycle, index): CycleRow => {
    const size = sizes[index];
    const before = sizes[index - 1] ?? { keys: 0, chars: 0 };
    const spread = diversity.get(cycle.number);
    return {
      cycle: cycle.number,
      seq: cycle.startedSeq,
      model_calls: cycle.modelCalls,
      tool_calls: cycle.toolCalls,
      failed_tool_calls: cycle.failedToolCalls,
      tools: cycle.tools,
      ...(size && {
        memory_keys: size.keys,
        memory_keys_growth: size.keys - before.keys,
        memory_chars: size.chars,
        memory_chars_growth: size.chars - before.chars,
      }),
      tokens_in: cycle.tokensIn,
      tokens_out: cycle.tokensOut,
      tokens_estimated: cycle.tokensEstimated,
      messages: cycle.messagesToOperator,
      ...(cycle.novelty === undefined ? {} : { novelty: cycle.novelty }),
      ...(cycle.noveltyMeasure === undefined ? {} : { novelty_measure: cycle.noveltyMeasure }),
      ...(spread === undefined ? {} : { diversity: spread }),
      ...(cycle.endedBy === undefined ? {} : { ended_by: cycle.endedBy }),
    };
  });
  return { measure, rows };
}

interface Point extends Comparable {
  readonly run: number;
  readonly cycle: number;
}

// Unchanged cycles keep their identity, so that their trigrams are found again.
const points = new WeakMap<Cycle, Point>();

function pointsOf(run: number, { cycles }: Cycles): Point[] {
  return cycles.flatMap((cycle) => {
    const { number, reflection, vector } = cycle;
    if (reflection === undefined) return [];
    const known = points.get(cycle);
    if (known?.run === run) return [known];
    const point = { run, cycle: number, text: reflection, ...(vector && { vector }) };
    points.set(cycle, point);
    return [point];
  });
}

/** Mean dissimilarity of all pairs of the reflections up to each cycle; from the second reflection on. */
function diversityByCycle(cycles: Cycles, measure: SimilarityMeasure): Map<number, number> {
  const chosen = evenly(pointsOf(0, cycles), MAX_MATRIX_REFLECTIONS);
  const found = new Map<number, number>();
  let sum = 0;
  let pairs = 0;
  chosen.forEach((point, index) => {
    for (const earlier of chosen.slice(0, index)) {
      const similarity = reflectionSimilarity(point, earlier, measure);
      if (similarity === undefined) continue;
      sum += 1 - similarity;
      pairs += 1;
    }
    if (pairs > 0) found.set(point.cycle, sum / pairs);
  });
  return found;
}

/**
 * The similarity of all reflections of one or several runs with each other. Uses embeddings if all runs have recorded
 * them with the same model, otherwise words. Pure.
 */
export function similarityMatrix(runs: readonly Cycles[]): SimilarityMatrix {
  const measure =
    new Set(runs.map(({ embeddingModel }) => embeddingModel)).size === 1 &&
    runs.every((cycles) => measureOf(cycles) === 'embeddings')
      ? 'embeddings'
      : 'ngram';
  const all = runs.map((cycles, run) => pointsOf(run, cycles));
  const share = Math.max(
    2,
    Math.floor(MAX_MATRIX_REFLECTIONS / Math.max(1, all.filter(({ length }) => length).length)),
  );
  const chosen = all.flatMap((each) => evenly(each, share));
  const values: (number | null)[][] = chosen.map(() => []);
  chosen.forEach((one, row) => {
    for (let column = 0; column <= row; column += 1) {
      const other = chosen[column];
      const value = row === column ? 1 : other ? (reflectionSimilarity(one, other, measure) ?? null) : null;
      const [upper, lower] = [values[column], values[row]];
      if (upper) upper[row] = value;
      if (lower) lower[column] = value;
    }
  });
  return {
    measure,
    points: chosen.map(({ run, cycle }) => ({ run, cycle })),
    values,
    left_out: all.flat().length - chosen.length,
  };
}

/** At most `most` of the items, evenly spaced, with the first and the last. */
function evenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  const step = (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => items[Math.round(index * step)]).filter(
    (item): item is Item => item !== undefined,
  );
}

/**
 * The mean similarity of reflections within each run (on the diagonal) and between each two runs. `null` where nothing
 * can be compared. Pure.
 *
 * @param runs how many runs the matrix is about
 */
export function similarityByRun({ points: of, values }: SimilarityMatrix, runs: number): (number | null)[][] {
  const found: number[][][] = Array.from({ length: runs }, () => Array.from({ length: runs }, () => []));
  of.forEach((one, row) => {
    of.slice(0, row).forEach((other, column) => {
      const value = values[row]?.[column];
      if (typeof value !== 'number') return;
      found[one.run]?.[other.run]?.push(value);
      if (one.run !== other.run) found[other.run]?.[one.run]?.push(value);
    });
  });
  return found.map((row) => row.map((each) => mean(each) ?? null));
}

/** The tables of several runs for CSV: a header, then a row per run and cycle. Each tool has its own column. */
export function cycleTableCells(
  runs: readonly { readonly run_id: string; readonly model: string; readonly table: CycleTable }[],
): CsvValue[][] {
  const tools = [
    ...new Set(runs.flatMap(({ table }) => table.rows.flatMap((row) => Object.keys(row.tools)))),
  ].sort();
  return [
    [
      ...['run_id', 'model', 'cycle', 'model_calls', 'tool_calls', 'failed_tool_calls'],
      ...tools.map((name) => `calls_${name}`),
      ...['memory_keys', 'memory_keys_growth', 'memory_chars', 'memory_chars_growth'],
      ...['tokens_in', 'tokens_out', 'tokens_estimated', 'messages'],
      ...['measure', 'novelty', 'novelty_measure', 'diversity', 'ended_by'],
    ],
    ...runs.flatMap(({ run_id, model, table: { measure, rows } }) =>
      rows.map((row): CsvValue[] => [
        ...[run_id, model, row.cycle, row.model_calls, row.tool_calls, row.failed_tool_calls],
        ...tools.map((name) => (Object.hasOwn(row.tools, name) ? row.tools[name] : 0)),
        ...[row.memory_keys, row.memory_keys_growth, row.memory_chars, row.memory_chars_growth],
        ...[row.tokens_in, row.tokens_out, row.tokens_estimated, row.messages],
        ...[measure, row.novelty, row.novelty_measure, row.diversity, row.ended_by],
      ]),
    ),
  ];
}
