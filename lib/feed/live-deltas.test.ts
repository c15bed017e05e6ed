import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LiveDeltas, nothingSeen } from './live-deltas.ts';

it('a late viewer gets the text so far as one delta, then only new text [E12]', () => {
  const texts = new LiveDeltas();
  texts.add({ type: 'text', call: 1, offset: 0, text: 'Hel' });
  texts.add({ type: 'text', call: 1, offset: 3, text: 'lo' });
  const seen = nothingSeen();
  expect(texts.since(seen)).toEqual([{ type: 'text', call: 1, offset: 0, text: 'Hello' }]);
  expect(texts.since(seen)).toEqual([]);
  texts.add({ type: 'text', call: 1, offset: 5, text: '!' });
  expect(texts.since(seen)).toEqual([{ type: 'text', call: 1, offset: 5, text: '!' }]);
});

it('drops a text once its event contains it in full', () => {
  const texts = new LiveDeltas();
  texts.add({ type: 'text', call: 1, offset: 0, text: 'a' });
  texts.add({ type: 'tool-output', call_id: 'c1', offset: 0, text: 'b' });
  texts.endCall(1);
  expect(texts.since(nothingSeen())).toEqual([{ type: 'tool-output', call_id: 'c1', offset: 0, text: 'b' }]);
  texts.endTool('c1');
  expect(texts.since(nothingSeen())).toEqual([]);
});

it('sends the queue position once per change', () => {
  const texts = new LiveDeltas();
  const seen = nothingSeen();
  texts.add({ type: 'queue', position: 2, ahead: ['a', 'b'] });
  expect(texts.since(seen)).toHaveLength(1);
  expect(texts.since(seen)).toHaveLength(0);
  texts.add({ type: 'queue', position: 1, ahead: ['b'] });
  expect(texts.since(seen)).toEqual([{ type: 'queue', position: 1, ahead: ['b'] }]);
  texts.endNote();
  expect(texts.since(nothingSeen())).toEqual([]);
});

it('a late viewer learns when the model started and where it is being loaded', () => {
  const texts = new LiveDeltas();
  texts.add({ type: 'thinking', call: 1, offset: 0, text: 'Hm', since: 1000 });
  texts.add({ type: 'thinking', call: 1, offset: 2, text: ', well', since: 1000 });
  expect(texts.since(nothingSeen())).toEqual([
    { type: 'thinking', call: 1, offset: 0, text: 'Hm, well', since: 1000 },
  ]);
  const loading = new LiveDeltas();
  loading.add({ type: 'load', size_bytes: 18, vram_bytes: 12 });
  expect(loading.since(nothingSeen())).toEqual([{ type: 'load', size_bytes: 18, vram_bytes: 12 }]);
  loading.endNote();
  expect(loading.since(nothingSeen())).toEqual([]);
});

it('stops live updates of a text beyond a megabyte', () => {
  const texts = new LiveDeltas();
  const seen = nothingSeen();
  let offset = 0;
  for (let round = 0; round < 20; round++) {
    texts.add({ type: 'tool-output', call_id: 'c1', offset, text: 'x'.repeat(100_000) });
    offset += 100_000;
  }
  const shown = texts.since(seen).map((delta) => ('text' in delta ? delta.text.length : 0));
  expect(shown).toEqual([1024 * 1024]);
});

it('every viewer gets the same text, however deltas overlap and whenever it polls', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(60), fc.nat(10), fc.boolean()), { maxLength: 40 }),
      (whole, steps) => {
        const texts = new LiveDeltas();
        const seen = nothingSeen();
        let sent = 0;
        let got = '';
        for (const [back, length, look] of steps) {
          const offset = Math.max(0, sent - back);
          const end = Math.min(whole.length, sent + length);
          texts.add({ type: 'text', call: 1, offset, text: whole.slice(offset, end) });
          sent = Math.max(sent, end);
          if (!look) continue;
          for (const delta of texts.since(seen)) {
            if (delta.type !== 'text') continue;
            expect(delta.offset).toBe(got.length);
            got += delta.text;
          }
        }
        for (const delta of texts.since(seen)) got += 'text' in delta ? delta.text : '';
        expect(got).toBe(whole.slice(0, sent));
      },
    ),
  );
});
