import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitEnd, fitMiddle, fitStart, jsonTextBytes } from './fit-text.ts';

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '漢', '🙂', '\ud800'),
  maxLength: 300,
});

it('returns the longest prefix and suffix that fit into a JSON budget [O9]', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 400 }), (whole, budget) => {
      const start = fitStart(whole, budget);
      const end = fitEnd(whole, budget);
      expect(whole.startsWith(start) && whole.endsWith(end)).toBe(true);
      for (const part of [start, end]) expect(jsonTextBytes(part)).toBeLessThanOrEqual(budget);
      // One more character would not have fitted: it takes at most 6 bytes.
      if (start !== whole) expect(jsonTextBytes(start)).toBeGreaterThan(budget - 13);
      if (end !== whole) expect(jsonTextBytes(end)).toBeGreaterThan(budget - 13);
      if (whole.isWellFormed()) expect(start.isWellFormed() && end.isWellFormed()).toBe(true);
    }),
    { examples: [['\ud800🙂', 4]] },
  );
});

it('a text cut in the middle says how much is missing and stays within its budget [O9]', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 100, max: 400 }), (whole, budget) => {
      const fitted = fitMiddle(whole, budget);
      expect(jsonTextBytes(fitted.text)).toBeLessThanOrEqual(budget);
      expect(fitted.cut).toBe(fitted.text !== whole);
    }),
  );
  expect(fitMiddle('a'.repeat(1000), 100).text).toMatch(/^a{18}\n\[… 964 characters left out …\]\na{18}$/);
});
