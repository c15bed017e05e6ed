/** The level of a scale: `ordinal` values have an order, `interval` values also equal steps. */
export type ScaleLevel = 'ordinal' | 'interval';

/** A value per rater, in the same order for every unit; missing where a rater gave none. */
export type RatedUnit = readonly (number | undefined)[];

/**
 * Krippendorff's alpha: how far raters agree beyond chance. 1: fully; 0: as by chance; below 0: less. Units that fewer
 * than two raters rated don't count.
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

/**
 * Intraclass correlations of single ratings: absolute agreement with other raters each time, or with the same; consistency.
 * At most 1. One is `undefined` if the variance that it divides by is estimated as 0 or less.
 */
export interface IntraclassCorrelations {
  /** ICC(1,1): every subject has different raters. */
  readonly oneWay: number | undefined;
  /** ICC(2,1): the raters are a sample; differences in level between them count. */
  readonly agreement: number | undefined;
  /** ICC(3,1): these raters are all there are; differences in level don't count. */
  readonly consistency: number | undefined;
  /** ICC(2,k): as `agreement`, of the mean of all raters. */
  readonly meanAgreement: number | undefined;
}

/** Sums of squares below this share of the whole are rounding errors: scores have far larger steps. */
const ROUNDING = 1e-12;

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
  const total = squares(all, grand);
  // Equal means of items differ from their own mean in the last digit.
  if (total <= ROUNDING ** 2 * squares(all, 0)) return undefined;
  const rowMeans = rows.map(meanOf);
  const columnMeans = Array.from({ length: k }, (_, column) => meanOf(rows.map((row) => row[column] ?? 0)));
  const betweenRows = k * squares(rowMeans, grand);
  const betweenColumns = n * squares(columnMeans, grand);
  const exact = (sum: number) => (sum <= ROUNDING * total ? 0 : sum);
  const bms = exact(betweenRows) / (n - 1);
  const wms = exact(total - betweenRows) / (n * (k - 1));
  const jms = exact(betweenColumns) / (k - 1);
  const ems = exact(total - betweenRows - betweenColumns) / ((n - 1) * (k - 1));
  const over = (difference: number, variance: number) =>
    variance > ROUNDING * total ? difference / variance : undefined;
  return {
    oneWay: over(bms - wms, bms + (k - 1) * wms),
    agreement: over(bms - ems, bms + (k - 1) * ems + (k * (jms - ems)) / n),
    consistency: over(bms - ems, bms + (k - 1) * ems),
    meanAgreement: over(bms - ems, bms + (jms - ems) / n),
  };
}

/** The sum of squared distances from a value. */
function squares(values: readonly number[], from: number): number {
  return values.reduce((sum, value) => sum + (value - from) ** 2, 0);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
