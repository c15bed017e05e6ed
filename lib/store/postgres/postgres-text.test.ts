import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromPostgresText, toPostgresText } from './postgres-text.ts';

it('brings every text back as it was, and gives PostgreSQL only what it can keep [threat 17]', () => {
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

it('leaves ordinary text as it is', () => {
  expect(toPostgresText('Grüße, 🦊 and \\0')).toBe('Grüße, 🦊 and \\0');
});
