import { expect, it } from 'vitest';
import { type MathPart, mathTree } from './math.ts';

const tags = (part: MathPart | undefined): string[] =>
  part === undefined || typeof part === 'string' ? [] : [part.tag, ...part.children.flatMap(tags)];
const words = (part: MathPart | undefined): string =>
  part === undefined ? '' : typeof part === 'string' ? part : part.children.map(words).join('');

it('draws fractions, roots, matrices and operators as MathML', () => {
  const tree = mathTree(
    String.raw`\frac{a}{\sqrt{b}} + \sum_{i=1}^n x_i \begin{pmatrix}1&2\end{pmatrix}`,
    true,
  );
  expect(tags(tree)).toEqual(
    expect.arrayContaining(['math', 'mfrac', 'msqrt', 'munderover', 'mtable', 'mtd']),
  );
  expect(tree).toMatchObject({ attributes: { display: 'block' } });
});

it('has no links, pictures, styles, colors or hidden parts', () => {
  for (const source of [
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\includegraphics{http://192.0.2.1/a.png}`,
    'x % secret',
  ]) {
    expect(mathTree(source, false), source).toBeUndefined();
  }
  const tree = mathTree(String.raw`\phantom{rm}\color{white}y\hspace{-9em}\rule{99em}{99em}`, false);
  expect(words(tree)).toContain('rm');
  expect(JSON.stringify(tree)).not.toMatch(/style|color|background|-9|99|phantom/);
});

it('names invisible characters', () => {
  expect(words(mathTree(String.raw`\text{a}\char"202E b`, false))).toContain('⟨RLO⟩');
  expect(words(mathTree('a\u200bb', false))).not.toContain('\u200b');
});

it.each([
  [String.raw`\def\a{\a\a}\a`],
  [String.raw`\def\b{xxxxxxxxxx}\def\c{\b\b\b\b\b\b\b\b\b\b}\def\d{\c\c\c\c\c\c\c\c\c\c}\d\d\d\d\d\d`],
  ['{'.repeat(2000)],
  [String.raw`\left(`.repeat(150) + String.raw`\right)`.repeat(150)],
  ['^'.repeat(500)],
  ['x'.repeat(2000)],
  ['x'.repeat(2001)],
])('shows the source of what is too large, or endless: %.20s', (source) => {
  expect(mathTree(source, true)).toBeUndefined();
});
