import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OutputCapture } from './output-capture.ts';

it('keeps a short stream unchanged, however it is chunked [O9]', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '🙂', '\n') })), (pieces) => {
      const capture = new OutputCapture(1024);
      const whole = Buffer.from(pieces.join(''));
      for (const byte of whole) capture.push(Buffer.from([byte]));
      expect(capture.read()).toEqual({ text: pieces.join(''), totalBytes: whole.length, omittedBytes: 0 });
    }),
  );
});

it('keeps the start and end of a long stream, and counts the omitted bytes [O9]', () => {
  const capture = new OutputCapture(8);
  for (let index = 0; index < 100; index++) capture.push(Buffer.from(`${String(index).padStart(3, '0')}\n`));
  expect(capture.read()).toEqual({
    text: '000\n001\n\n[… 384 bytes left out …]\n098\n099\n',
    totalBytes: 400,
    omittedBytes: 384,
    omittedAt: { from: 8, to: 8 + '\n[… 384 bytes left out …]\n'.length },
  });
});

it('drops partial characters at the cut [O9]', () => {
  const capture = new OutputCapture(5);
  capture.push(Buffer.from('🙂🙂🙂🙂🙂'));
  expect(capture.read().text).toBe('🙂\n[… 10 bytes left out …]\n🙂');
});

it('uses bounded memory for an endless stream [O9]', () => {
  const capture = new OutputCapture(1024);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let index = 0; index < 1000; index++) capture.push(chunk);
  expect(capture.read().text.length).toBeLessThan(2200);
});
