import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_COMPARED_RUNS } from '../../events/limits.ts';
import { comparedIds, comparePath, otherIndex } from './compared-runs.ts';

const queryOf = (path: string) => new URLSearchParams(path.split('?')[1]);

describe('the link that compares runs', () => {
  it('names the baseline first, and every run by its letter', () => {
    expect(comparePath(['r0', 'r1', 'r2'])).toBe('/compare?a=r0&b=r1&c=r2');
    expect(comparePath(['r0', 'r1', 'r2'], 'r2')).toBe('/compare?a=r0&b=r1&c=r2&with=r2');
    expect(comparePath(['r0', 'r1', 'r2'], 'gone')).toBe('/compare?a=r0&b=r1&c=r2');
  });

  it('resolves to the same runs', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: MAX_COMPARED_RUNS });
    fc.assert(
      fc.property(ids, fc.nat(), (all, chosen) => {
        const other = all.length > 1 ? 1 + (chosen % (all.length - 1)) : 1;
        const query = queryOf(comparePath(all, all[other]));
        expect(comparedIds(query)).toEqual(all);
        expect(otherIndex(query, all)).toBe(other);
      }),
    );
  });

  it('leaves out empty, repeated and surplus runs', () => {
    expect(comparedIds(new URLSearchParams('a=&b=r1&c=r1&d=r2'))).toEqual(['r1', 'r2']);
    expect(comparedIds(new URLSearchParams('a=1&b=2&c=3&d=4&e=5&f=6&g=7'))).toHaveLength(MAX_COMPARED_RUNS);
    expect(otherIndex(new URLSearchParams('with=r0'), ['r0', 'r1'])).toBe(1);
  });
});
