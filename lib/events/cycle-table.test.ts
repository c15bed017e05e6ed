import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exploreLog } from '../testing/sample-modes.ts';
import { csvText } from '../util/csv.ts';
import { cycleTable, cycleTableCells, similarityByRun, similarityMatrix } from './cycle-table.ts';
import { foldCycles, noCycles } from './fold-cycles.ts';
import { MAX_MATRIX_REFLECTIONS } from './limits.ts';
import { reflectionSimilarity } from './reflection-similarity.ts';
import { WITHHELD } from './share-scopes.ts';
import type { Cycle, Cycles } from './timeline.ts';

function cycles(texts: readonly (string | undefined)[], more: Partial<Cycles> = {}): Cycles {
  return { ...noCycles, cycles: texts.map((text, index) => cycleOf(index + 1, text)), ...more };
}

function cycleOf(number: number, reflection?: string): Cycle {
  return {
    ...{ number, startedSeq: number, startedAt: 0, until: 0, modelCalls: 1, tokensIn: 0, tokensOut: 0 },
    ...{
      tokensEstimated: 0,
      tools: {},
      toolCalls: 0,
      failedToolCalls: 0,
      memoriesChanged: 0,
      messagesToOperator: 0,
    },
    ...(reflection === undefined ? {} : { reflection }),
  };
}

it('counts what a log has, and measures how the memory grew in each cycle', () => {
  const folded = foldCycles(noCycles, exploreLog(6).events);
  const { rows, measure } = cycleTable(folded);
  expect(measure).toBe('ngram');
  expect(rows.map(({ cycle }) => cycle)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(rows.reduce((sum, { memory_chars_growth: growth = 0 }) => sum + growth, 0)).toBe(
    rows.at(-1)?.memory_chars,
  );
  expect(rows.reduce((sum, { messages }) => sum + messages, 0)).toBeGreaterThan(0);
  for (const { tools, tool_calls: calls } of rows) {
    expect(Object.values(tools).reduce((sum, count) => sum + count, 0)).toBe(calls);
  }
});

it('diversity is the mean dissimilarity of all pairs so far', () => {
  const same = 'the sea is deep and blue today';
  const other = 'nothing here has a word in common';
  const { rows } = cycleTable(cycles([same, same, undefined, other]));
  expect(rows.map(({ diversity }) => diversity)).toEqual([undefined, 0, undefined, 2 / 3]);
});

it('leaves reflections without a word out of diversity and similarity', () => {
  const said = 'the sea is deep and blue today';
  const all = cycles(['', '', said, said, '…']);
  expect(cycleTable(all).rows.map(({ diversity }) => diversity)).toEqual([
    ...[undefined, undefined, undefined],
    ...[0, 0],
  ]);
  expect(similarityMatrix([all]).values).toEqual([
    [1, null, null, null, null],
    [null, 1, null, null, null],
    [null, null, 1, 1, null],
    [null, null, 1, 1, null],
    [null, null, null, null, 1],
  ]);
});

it('compares no reflections that a summary withholds', () => {
  const all = cycles([WITHHELD, WITHHELD]);
  expect(cycleTable(all).rows.map(({ diversity }) => diversity)).toEqual([undefined, undefined]);
  expect(similarityMatrix([all]).values[1]).toEqual([null, 1]);
});

it('says of each novelty how it was measured, as cycles whose embedding failed are compared by words', () => {
  const vector = [1, 0];
  const measured = cycles(['one', 'two', 'three'], { embeddingModel: 'embedder' });
  const [first, second, third] = measured.cycles;
  if (!(first && second && third)) throw new Error('no cycles');
  const table = cycleTable({
    ...measured,
    cycles: [
      { ...first, vector },
      { ...second, vector, novelty: 0.1, noveltyMeasure: 'embeddings' },
      { ...third, novelty: 1, noveltyMeasure: 'ngram' },
    ],
  });
  expect(table.measure).toBe('embeddings');
  expect(table.rows.map(({ novelty, novelty_measure: by }) => [novelty, by])).toEqual([
    [undefined, undefined],
    [0.1, 'embeddings'],
    [1, 'ngram'],
  ]);
  const [head = [], ...rows] = cycleTableCells([{ run_id: 'r', model: 'm', table }]);
  expect(rows.map((row) => row[head.indexOf('novelty_measure')])).toEqual([undefined, 'embeddings', 'ngram']);
});

it('a matrix is symmetric with ones on its diagonal, and has the similarity of the feedback', () => {
  const text = fc.array(fc.constantFrom('sea', 'sky', 'tide', 'moon', 'bank', 'reef'), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (all) => {
      const texts = all.map((words) => words.join(' '));
      const { values, points } = similarityMatrix([cycles(texts)]);
      expect(points).toHaveLength(texts.length);
      values.forEach((row, at) => {
        row.forEach((value, other) => {
          expect(value).toBe(values[other]?.[at]);
          const [a = '', b = ''] = [texts[at], texts[other]];
          expect(value).toBe(
            at === other ? 1 : (reflectionSimilarity({ text: a }, { text: b }, 'ngram') ?? null),
          );
        });
      });
    }),
  );
});

it('compares by embeddings only where every run has those of the same model', () => {
  const embedded = (model: string, ...vectors: number[][]): Cycles => ({
    ...cycles([]),
    embeddingModel: model,
    cycles: vectors.map((vector, index) => ({ ...cycleOf(index + 1, `text ${index}`), vector })),
  });
  const one = embedded('e', [1, 0], [0, 1]);
  expect(similarityMatrix([one])).toMatchObject({
    measure: 'embeddings',
    values: [
      [1, 0],
      [0, 1],
    ],
  });
  expect(similarityMatrix([one, embedded('e', [1, 0])]).values.at(-1)).toEqual([1, 0, 1]);
  expect(similarityMatrix([one, embedded('other', [1, 0])]).measure).toBe('ngram');
  expect(similarityMatrix([one, cycles(['words'])]).measure).toBe('ngram');
  const withGap = { ...one, cycles: [...one.cycles, cycleOf(3, 'never embedded')] };
  expect(similarityMatrix([withGap]).values.at(-1)).toEqual([null, null, 1]);
});

it('takes evenly spaced reflections of long runs, and says how many it left out', () => {
  const long = cycles(Array.from({ length: 500 }, (_, index) => `reflection number ${index}`));
  const { points, left_out: leftOut } = similarityMatrix([long, cycles(['a', 'b'])]);
  expect(points.length).toBeLessThanOrEqual(MAX_MATRIX_REFLECTIONS);
  expect(points.length + leftOut).toBe(502);
  expect(points.filter(({ run }) => run === 0).map(({ cycle }) => cycle)).toEqual(
    expect.arrayContaining([1, 500]),
  );
});

it('averages similarity within runs and between them', () => {
  const sea = 'the sea is deep and blue';
  const matrix = similarityMatrix([
    cycles([sea, sea]),
    cycles([sea]),
    cycles(['no word of it', 'or is there']),
  ]);
  expect(similarityByRun(matrix, 3)).toEqual([
    [1, 1, 0],
    [1, null, 0],
    [0, 0, 0],
  ]);
});

it('the CSV has a row per run and cycle and a column per tool', () => {
  const table = cycleTable(foldCycles(noCycles, exploreLog(3).events));
  const cells = cycleTableCells([
    { run_id: 'r1', model: 'm', table },
    { run_id: 'r2', model: '=m', table: cycleTable(cycles(['only'])) },
  ]);
  expect(cells).toHaveLength(1 + 3 + 1);
  expect(new Set(cells.map((row) => row.length)).size).toBe(1);
  expect(cells[0]).toContain('calls_write');
  expect(csvText(cells)).toContain("r2,'=m,1,1,0");
});
