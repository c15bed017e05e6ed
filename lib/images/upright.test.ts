import { expect, it } from 'vitest';
import type { Orientation } from './jpeg-orientation.ts';
import { type Pixels, upright } from './upright.ts';

/** Rows of letters as an image: each letter is a pixel. */
function image(rows: readonly string[]): Pixels {
  const letters = rows.join('');
  const data = new Uint8Array(new Uint32Array([...letters].map((letter) => letter.charCodeAt(0))).buffer);
  return { data, width: rows[0]?.length ?? 0, height: rows.length };
}

function rowsOf({ data, width, height }: Pixels): string[] {
  const letters = [...new Uint32Array(data.slice().buffer)].map((code) => String.fromCharCode(code)).join('');
  return Array.from({ length: height }, (_, row) => letters.slice(row * width, (row + 1) * width));
}

// What a camera stores for the upright image ABC/DEF, by the table of the EXIF standard.
const STORED: Readonly<Record<Orientation, readonly string[]>> = {
  1: ['ABC', 'DEF'],
  2: ['CBA', 'FED'],
  3: ['FED', 'CBA'],
  4: ['DEF', 'ABC'],
  5: ['AD', 'BE', 'CF'],
  6: ['CF', 'BE', 'AD'],
  7: ['FC', 'EB', 'DA'],
  8: ['DA', 'EB', 'FC'],
};

it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)('turns a photo of orientation %i upright', (orientation) => {
  expect(rowsOf(upright(image(STORED[orientation]), orientation))).toEqual(['ABC', 'DEF']);
});
