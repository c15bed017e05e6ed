import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { secretFragment } from '../../testing/secret-fragment.ts';
import { createRedactor } from './redactor.ts';

it('redacts any text in linear time', () => {
  fc.assert(
    fc.property(fc.array(secretFragment, { minLength: 1, maxLength: 4 }), (parts) => {
      const unit = parts.join('');
      if (unit === '') return;
      const value = unit.repeat(Math.ceil(100_000 / unit.length));
      // 100 kB of a repeated fragment: a quadratic rule would take a quarter of a minute.
      const redactor = createRedactor({ environment: ['aaaaaaaaaaaaaaaaaaab'] });
      expect(cpuMs(() => redactor.text(value))).toBeLessThan(2500);
    }),
    { numRuns: 150 },
  );
}, 600_000);
