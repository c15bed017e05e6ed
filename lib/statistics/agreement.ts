/** What the numbers of a scale mean: `ordinal` has an order, `interval` equal steps too. */
export type ScaleLevel = 'ordinal' | 'interval';

/** A value per rater, in the same order for every unit; missing where a rater gave none. */
export type RatedUnit = readonly (number | undefined)[];

/**
 * Krippendorff's alpha: how far raters agree, beyond what chance would bring. 1: fully; 0: as by chance; below 0: less.
 * Units that fewer than two raters rated don't count.
 *
 * @returns `undefined` without two such values that differ, where agreement has no meaning
 * @see K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011)
 */
export function krippendorffAlpha(units: readonly RatedUnit[], level: ScaleLevel): number | undefined {
  const pairable = units
    .map((unit) => unit.filter((value) => value !== undefined))
    .filter(({ length }) => length > 1);
  const counts = new Map<number, number>();
  for (const value of pairable.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].sort(([a], [b]) => a - b);
  const total = pairable.reduce((sum, { length }) => sum + length, 0);
  const distance = level === 'interval' ? (a: number, b: number) => (a - b) ** 2 : ordinalDistance(values);
  const observed = pairable.reduce((sum, unit) => sum + disagreement(unit, distance) / (unit.length - 1), 0);
  let expected = 0;
  for (const [a, countA] of values) {
    for (const [b, countB] of values) expected += countA * countB * distance(a, b);
  }
  return expected === 0 ? undefined : 1 - ((total - 1) * observed) / expected;
}

/** The sum over all ordered pairs of different raters. */
function disagreement(unit: readonly number[], distance: (a: number, b: number) => number): number {
  return unit.reduce((sum, a) => sum + unit.reduce((inner, b) => inner + distance(a, b), 0), 0);
}

/** Ranks between two values, counted by how often each was given, squared. */
function ordinalDistance(values: readonly (readonly [number, number])[]): (a: number, b: number) => number {
  const before = new Map<number, number>();
  let sum = 0;
  for (const [value, count] of values) {
    before.set(value, sum + count / 2);
    sum += count;
  }
  return (a, b) => ((before.get(a) ?? 0) - (before.get(b) ?? 0)) ** 2;
}

/** Intraclass correlations of single ratings: absolute agreement with other raters each time, or with the same; consistency. */
export interface IntraclassCorrelations {
  /** ICC(1,1): every subject has raters of its own. */
  readonly oneWay: number;
  /** ICC(2,1): the raters are a sample; differences in level between them count. */
  readonly agreement: number;
  /** ICC(3,1): these raters are all there are; differences in level don't count. */
  readonly consistency: number;
  /** ICC(2,k): as `agreement`, of the mean of all raters. */
  readonly meanAgreement: number;
}

/**
 * The intraclass correlations of a full table: a row per subject, a column per rater.
 *
 * @returns `undefined` for fewer than two subjects or raters, and if no value differs
 * @throws {RangeError} for rows of different length
 * @see P. E. Shrout, J. L. Fleiss, Intraclass correlations: uses in assessing rater reliability, Psychological Bulletin
 *   86 (1979)
 */
export function intraclassCorrelations(
  rows: readonly (readonly number[])[],
): IntraclassCorrelations | undefined {
  const n = rows.length;
  const k = rows[0]?.length ?? 0;
  if (rows.some(({ length }) => length !== k)) throw new RangeError('The rows have different lengths.');
  if (n < 2 || k < 2) return undefined;
  const all = rows.flat();
  const grand = meanOf(all);
  const total = all.reduce((sum, value) => sum + (value - grand) ** 2, 0);
  if (total === 0) return undefined;
  const rowMeans = rows.map(meanOf);
  const columnMeans = Array.from({ length: k }, (_, column) => meanOf(rows.map((row) => row[column] ?? 0)));
  const betweenRows = k * rowMeans.reduce((sum, value) => sum + (value - grand) ** 2, 0);
  const betweenColumns = n * columnMeans.reduce((sum, value) => sum + (value - grand) ** 2, 0);
  const bms = betweenRows / (n - 1);
  const wms = (total - betweenRows) / (n * (k - 1));
  const jms = betweenColumns / (k - 1);
  const ems = (total - betweenRows - betweenColumns) / ((n - 1) * (k - 1));
  return {
    oneWay: (bms - wms) / (bms + (k - 1) * wms),
    agreement: (bms - ems) / (bms + (k - 1) * ems + (k * (jms - ems)) / n),
    consistency: (bms - ems) / (bms + (k - 1) * ems),
    meanAgreement: (bms - ems) / (bms + (jms - ems) / n),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
