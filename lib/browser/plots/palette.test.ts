import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/** Complete dichromacy by G. M. Machado et al. (2009), on linear RGB. */
const VISION: Record<string, Matrix> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** CIE 1976 color difference; 10 is about as far as neighboring names of colors are apart. */
const MIN_DIFFERENCE = 15;
/** WCAG 2.2, 1.4.11 (non-text contrast). */
const MIN_CONTRAST = 3;

const css = readFileSync(new URL('../../../app/globals.css', import.meta.url), 'utf8');

function pair(name: string): [light: string, dark: string] {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css);
  if (!found?.[1] || !found[2]) throw new Error(`globals.css has no --${name}`);
  return [found[1], found[2]];
}

function linear(hex: string): Rgb {
  const at = (from: number) => {
    const value = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [at(1), at(3), at(5)];
}

const dot = (a: Rgb, b: Rgb) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const clamp = (value: number) => Math.min(1, Math.max(0, value));
const luminance = (hex: string) => dot([0.2126, 0.7152, 0.0722], linear(hex));

function lab(hex: string, [r, g, b]: Matrix): Rgb {
  const rgb = linear(hex);
  const seen: Rgb = [clamp(dot(r, rgb)), clamp(dot(g, rgb)), clamp(dot(b, rgb))];
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f(dot([0.4124, 0.3576, 0.1805], seen) / 0.95047);
  const y = f(dot([0.2126, 0.7152, 0.0722], seen));
  const z = f(dot([0.0193, 0.1192, 0.9505], seen) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const names = [...css.matchAll(/--(plot-\d): light-dark/g)].map(([, name = '']) => name);

it('there are eight colors', () => {
  expect(names).toHaveLength(8);
});

it.each([
  ['light', 0],
  ['dark', 1],
] as const)('the colors of plots stand out from every ground in the %s theme', (_theme, index) => {
  for (const ground of ['canvas', 'surface', 'raised']) {
    const back = luminance(pair(ground)[index]);
    for (const name of names) {
      const front = luminance(pair(name)[index]);
      const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      expect(contrast, `${name} on ${ground}`).toBeGreaterThanOrEqual(MIN_CONTRAST);
    }
  }
});

it.each(Object.keys(VISION))('any two colors of plots are told apart with %s', (vision) => {
  const matrix = VISION[vision];
  if (!matrix) throw new Error(`No matrix for ${vision}`);
  for (const theme of [0, 1] as const) {
    const seen = names.map((name) => lab(pair(name)[theme], matrix));
    for (const [index, one] of seen.entries()) {
      for (const [other, two] of seen.slice(0, index).entries()) {
        const difference = Math.hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
        expect(difference, `${names[index]} and ${names[other]}`).toBeGreaterThanOrEqual(MIN_DIFFERENCE);
      }
    }
  }
});
