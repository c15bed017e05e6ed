import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainVisibleText, visibleText } from './visible-text.ts';

it('D18: names characters that turn the reading direction, control the terminal or have no width', () => {
  expect(plainVisibleText('a\u202Egpj.exe\u202C \u001b[31mred \u200b \ufeff \u0007')).toBe(
    'a⟨RLO⟩gpj.exe⟨PDF⟩ ⟨ESC⟩[31mred ⟨ZWSP⟩ ⟨BOM⟩ ⟨BEL⟩',
  );
});

it('D18: leaves line breaks, tabs, emoji with joiners and other scripts as they are', () => {
  const text = 'line\n\tnext 👩‍💻 שלום العربية 日本';
  expect(visibleText(text)).toEqual([{ text }]);
});

it('takes a carriage return before a line feed as part of the line break, and names a lone one', () => {
  expect(plainVisibleText('a\r\nb\rc')).toBe('a\nb⟨CR⟩c');
});

it('D18: leaves no hidden character and loses no other, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = visibleText(text);
      const kept = shown.map((piece) => ('text' in piece ? piece.text : '')).join('');
      expect(kept.replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u);
      const marks = shown.filter((piece) => 'mark' in piece).length;
      const breaks = text.match(/\r\n/g)?.length ?? 0;
      expect(kept.length + marks + breaks).toBe(text.length);
    }),
  );
});
