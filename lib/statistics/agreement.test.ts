import fc from 'fast-check';
import { expect, it } from 'vitest';
import { intraclassCorrelations, krippendorffAlpha } from './agreement.ts';

const _ = undefined;
/** Four observers, twelve units: Krippendorff (2011), section C. */
const observers = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
  [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
];
const units = Array.from({ length: 12 }, (__, unit) => observers.map((row) => row[unit]));

it("equals Krippendorff's own examples", () => {
  expect(krippendorffAlpha(units, 'ordinal')).toBeCloseTo(0.815, 3);
  expect(krippendorffAlpha(units, 'interval')).toBeCloseTo(0.849, 3);
});

it('equals the table of Shrout and Fleiss', () => {
  const icc = intraclassCorrelations([
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
  ]);
  expect(icc?.oneWay).toBeCloseTo(0.17, 2);
  expect(icc?.agreement).toBeCloseTo(0.29, 2);
  expect(icc?.consistency).toBeCloseTo(0.71, 2);
  expect(icc?.meanAgreement).toBeCloseTo(0.62, 2);
});

it('alpha is at most 1, 1 for raters that agree, and does not depend on their order', () => {
  const value = fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined });
  const table = fc.array(fc.array(value, { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(table, fc.constantFrom('ordinal' as const, 'interval' as const), (rows, level) => {
      const alpha = krippendorffAlpha(rows, level);
      if (alpha !== undefined) expect(alpha).toBeLessThanOrEqual(1 + 1e-9);
      const turned = krippendorffAlpha(
        rows.map((row) => row.toReversed()),
        level,
      );
      if (alpha !== undefined && turned !== undefined) expect(turned).toBeCloseTo(alpha, 9);
      expect(turned === undefined).toBe(alpha === undefined);
      const agreed = krippendorffAlpha(
        rows.map(([first]) => [first, first]),
        level,
      );
      expect(agreed === undefined || Math.abs(agreed - 1) < 1e-9).toBe(true);
    }),
  );
});

it('has no figure where nothing differs or nothing can be compared', () => {
  expect(krippendorffAlpha([], 'interval')).toBeUndefined();
  expect(krippendorffAlpha([[3, 3]], 'ordinal')).toBeUndefined();
  expect(krippendorffAlpha([[1, undefined]], 'ordinal')).toBeUndefined();
  expect(intraclassCorrelations([[1, 2]])).toBeUndefined();
  expect(
    intraclassCorrelations([
      [2, 2],
      [2, 2],
    ]),
  ).toBeUndefined();
  expect(() => intraclassCorrelations([[1, 2], [1]])).toThrow(RangeError);
});

it('leaves out an intraclass correlation that has no meaning for a table', () => {
  // The raters differ in level and the texts not at all: ICC(3,1) is 0 / 0.
  const levels = intraclassCorrelations([
    [1, 2],
    [1, 2],
  ]);
  expect(levels).toEqual({ oneWay: -1, agreement: 0, meanAgreement: 0 });
  // The raters contradict each other: the variance of ICC(2,1) is estimated as 0, that of ICC(2,k) as negative.
  const opposed = intraclassCorrelations([
    [1, 2],
    [2, 1],
  ]);
  expect(opposed).toEqual({ oneWay: -1, consistency: -1 });
});

it('treats equal means of items as equal, however they are rounded', () => {
  for (const subjects of [2, 3, 4, 5, 6, 7]) {
    for (const raters of [2, 3, 4]) {
      const rows = Array.from({ length: subjects }, () => Array<number>(raters).fill(7 / 3));
      expect(intraclassCorrelations(rows)).toBeUndefined();
    }
  }
});

it('gives intraclass correlations of at most 1', () => {
  const table = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 3 }), {
    minLength: 2,
    maxLength: 6,
  });
  fc.assert(
    fc.property(table, (rows) => {
      for (const value of Object.values(intraclassCorrelations(rows) ?? {})) {
        if (value !== undefined) expect(value).toBeLessThanOrEqual(1 + 1e-9);
        if (value !== undefined) expect(Number.isFinite(value)).toBe(true);
      }
    }),
  );
});
