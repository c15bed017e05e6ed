import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyDelta, applyPiece, emptyLive, type LiveText } from './live-text.ts';

it('gives the same text however its pieces are cut, repeated and restarted [D5]', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 200 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      fc.nat(200),
      (text, cuts, rejoin) => {
        let live: LiveText | undefined;
        let end = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), text.length]) {
          const to = Math.min(cut, text.length);
          // Each piece begins up to three characters early; once, the stream restarts with all it has.
          const from = to > rejoin && end <= rejoin ? 0 : Math.max(0, end - 3);
          if (to > from) live = applyPiece(live, from, text.slice(from, to));
          end = Math.max(end, to);
        }
        expect(live).toEqual({ start: 0, text });
      },
    ),
  );
});

it('keeps the object when a chunk contains nothing new', () => {
  const live: LiveText = { start: 0, text: 'hello' };
  expect(applyPiece(live, 1, 'ell')).toBe(live);
});

it('shows by its offset that something was missed', () => {
  expect(applyPiece({ start: 0, text: 'abc' }, 10, 'xyz')).toEqual({ start: 10, text: 'xyz' });
});

it('keeps a bounded part of endless output, and continues at the right offset', () => {
  let live: LiveText | undefined;
  for (let offset = 0; offset < 400_000; offset += 1000) live = applyPiece(live, offset, 'x'.repeat(1000));
  expect(live?.text.length).toBeLessThanOrEqual(100_000);
  expect((live?.start ?? 0) + (live?.text.length ?? 0)).toBe(400_000);
});

it('restarts with another model call, and keeps text and thinking apart', () => {
  let live = applyDelta(emptyLive, { type: 'thinking', call: 1, offset: 0, text: 'hm' });
  live = applyDelta(live, { type: 'text', call: 1, offset: 0, text: 'So' });
  expect(live).toMatchObject({ call: 1, thinking: { text: 'hm' }, text: { text: 'So' } });
  live = applyDelta(live, { type: 'text', call: 2, offset: 0, text: 'Next' });
  expect(live).toMatchObject({ call: 2, thinking: undefined, text: { text: 'Next' } });
});
