import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OutputCapture } from './output-capture.ts';

it('O9: keeps a short stream whole, however it is cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '🙂', '\n') })), (pieces) => {
      const capture = new OutputCapture(1024);
      const whole = Buffer.from(pieces.join(''));
      for (const byte of whole) capture.push(Buffer.from([byte]));
      expect(capture.read()).toEqual({ text: pieces.join(''), totalBytes: whole.length, omittedBytes: 0 });
    }),
  );
});

it('O9: keeps the beginning and the end of a long one, and counts what it left out', () => {
  const capture = new OutputCapture(8);
  for (let index = 0; index < 100; index++) capture.push(Buffer.from(`${String(index).padStart(3, '0')}\n`));
  expect(capture.read()).toEqual({
    text: '000\n001\n\n[… 384 bytes left out …]\n098\n099\n',
    totalBytes: 400,
    omittedBytes: 384,
  });
});

it('O9: does not show the halves of a character that the cut went through', () => {
  const capture = new OutputCapture(5);
  capture.push(Buffer.from('🙂🙂🙂🙂🙂'));
  expect(capture.read().text).toBe('🙂\n[… 10 bytes left out …]\n🙂');
});

it('O9: holds bounded memory for an endless stream', () => {
  const capture = new OutputCapture(1024);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let index = 0; index < 1000; index++) capture.push(chunk);
  expect(capture.read().text.length).toBeLessThan(2200);
});
