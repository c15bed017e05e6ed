import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plantedLog } from '../../testing/planted-secrets.ts';
import { secretFragment } from '../../testing/secret-fragment.ts';
import { createRedactor } from './redactor.ts';
import { redactLog } from './under-test.ts';

const text = fc.array(secretFragment, { maxLength: 30 }).map((parts) => parts.join(''));

it('is idempotent on any text', () => {
  fc.assert(
    fc.property(text, (value) => {
      const once = createRedactor().text(value);
      expect(createRedactor().text(once)).toBe(once);
    }),
    { numRuns: 3000 },
  );
});

it('is idempotent on a whole log', () => {
  const once = redactLog(plantedLog().events).events;
  expect(redactLog(once).events).toEqual(once);
});
