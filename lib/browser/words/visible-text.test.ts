import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleText } from './text-pieces.ts';
import { hiddenMarks, plainVisibleText, shortLine, withoutLineBreaks } from './visible-text.ts';

it('names characters that turn the reading direction, control the terminal or have no width [D18]', () => {
  expect(plainVisibleText('a\u202Egpj.exe\u202C \u001b[31mred \u200b \ufeff \u0007')).toBe(
    'a⟨RLO⟩gpj.exe⟨PDF⟩ ⟨ESC⟩[31mred ⟨ZWSP⟩ ⟨BOM⟩ ⟨BEL⟩',
  );
});

it('leaves line breaks, tabs, emoji with joiners and other scripts as they are [D18]', () => {
  const text = 'line\n\tnext 👩‍💻 שלום العربية 日本';
  expect(visibleText(text)).toEqual([{ text }]);
});

it('treats a carriage return before a line feed as part of the line break, and names a lone one', () => {
  expect(plainVisibleText('a\r\nb\rc')).toBe('a\nb⟨CR⟩c');
});

const tags = (text: string) =>
  [...text].map((character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0))).join('');

it('spells out text hidden in tag characters, and keeps flags that are written with them', () => {
  expect(plainVisibleText(`ls${tags('; rm -rf ~')} -l`)).toBe('ls⟨TAG ; rm -rf ~⟩ -l');
  const scotland = `\u{1F3F4}${tags('gbsct')}\u{E007F}`;
  expect(plainVisibleText(scotland)).toBe(scotland);
  expect(plainVisibleText(`\u{1F3F4}${tags('evil')}\u{E007F}`)).toBe('\u{1F3F4}⟨TAG evil⟩');
});

it('names variation selectors, except the one that makes an emoji', () => {
  expect(plainVisibleText(`a\ufe00\u{E0110}\u{E0145}b`)).toBe('a⟨VS ×3⟩b');
  expect(plainVisibleText('❤️ 1️⃣ ☎︎')).toBe('❤️ 1️⃣ ☎︎');
  expect(plainVisibleText('❤️\ufe0f 1\ufe0f')).toBe('❤⟨VS ×2⟩ 1⟨VS⟩');
});

it('names invisible operators, fillers and joiners that join nothing', () => {
  expect(plainVisibleText('a\u2061b\u2062c\u2063d\u2064e')).toBe('a⟨U+2061⟩b⟨U+2062⟩c⟨U+2063⟩d⟨U+2064⟩e');
  expect(plainVisibleText('\u115f\u1160\u3164\uffa0\u2800\u034f')).toBe('⟨HCF⟩⟨HJF⟩⟨HF⟩⟨HHF⟩⟨BLANK⟩⟨CGJ⟩');
  expect(plainVisibleText('rm\u200c \u200d-rf')).toBe('rm⟨ZWNJ⟩ ⟨ZWJ⟩-rf');
});

it('leaves the joiners of scripts and of emoji as they are', () => {
  const text = 'می‌خواهم क्‍ष 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈';
  expect(plainVisibleText(text)).toBe(text);
  expect(plainVisibleText('می\u200c\u200c\u200cخ')).toBe('می\u200c⟨ZWNJ⟩⟨ZWNJ⟩خ');
});

it('shows eight marks on a letter and counts the others', () => {
  expect(plainVisibleText(`e${'\u0301'.repeat(8)}`)).toBe(`e${'\u0301'.repeat(8)}`);
  expect(plainVisibleText(`e${'\u0301'.repeat(300)}!`)).toBe(`e${'\u0301'.repeat(8)}⟨+292 marks⟩!`);
});

it('lists each kind of hidden character once', () => {
  expect(hiddenMarks('a\u200bb\u200b\u2062')).toEqual([
    { mark: 'ZWSP', code: 'U+200B' },
    { mark: 'U+2062', code: 'U+2062' },
  ]);
  expect(hiddenMarks('plain')).toEqual([]);
});

const invisible = fc.constantFrom(
  ...['\u200b', '\u200c', '\u200d', '\u2061', '\u2065', '\u3164', '\ufe0f', '\ufe01', '\ufff3', '\u{E0041}'],
  ...[
    '\u{E01EF}',
    '\u{E0FFF}',
    '\u{1D173}',
    '\u00ad',
    '\u034f',
    '\u0301',
    '\u2028',
    '\r',
    '\n',
    '\r\n',
    '\u0000',
  ],
);
const base = fc.constantFrom('a', '1', ' ', '❤', '👩', 'ا', 'क', '漢', '\u{1F3F4}');

it('names every hidden character and loses nothing else, whatever the text [D18]', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(invisible, base), { maxLength: 40 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const kept = visibleText(text)
        .map((piece) => ('text' in piece ? piece.text : ''))
        .join('');
      expect(kept).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u2061-\u2065\u3164]/u);
      expect(kept).not.toMatch(/[\u2028\u2029\u2800\ufff9-\ufffb]|[\ufe00-\ufe0d]|[\u{E0100}-\u{E01EF}]/u);
      expect(kept).not.toMatch(/\p{DI}{3}/u);
      const seen = (from: string) =>
        from.replace(/[^\P{Cc}\n\t]|\p{DI}|\p{M}|[\u2028\u2029\u2800\ufff9-\ufffb]/gu, '');
      expect(seen(kept)).toBe(seen(text));
    }),
    { numRuns: 2000 },
  );
});

it('shows a name of several lines on one line, cut where it is long', () => {
  expect(withoutLineBreaks('a\r\n b\n\nc\u2028d\re')).toBe('a ⏎ b ⏎ c ⏎ d ⏎ e');
  expect(shortLine('a\nb\u202e')).toBe('a ⏎ b⟨RLO⟩');
  expect(shortLine('x'.repeat(300))).toBe(`${'x'.repeat(99)}…`);
  expect(shortLine('line\n'.repeat(12), 20)).toHaveLength(20);
});
