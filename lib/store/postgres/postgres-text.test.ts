import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromPostgresText, toPostgresText } from './postgres-text.ts';

it('returns every text unchanged, and sends PostgreSQL only what it can store [threat 17]', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\0', '\ud800', '\udfff', '\u{10FFFF}', 'm', '0', 'f', '🦊', '\\', '"'),
  });
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), (text) => {
      const kept = toPostgresText(text);
      expect(kept.isWellFormed() && !kept.includes('\0')).toBe(true);
      expect(fromPostgresText(kept)).toBe(text);
    }),
  );
});

it('does not change ordinary text', () => {
  expect(toPostgresText('Grüße, 🦊 and \\0')).toBe('Grüße, 🦊 and \\0');
});
