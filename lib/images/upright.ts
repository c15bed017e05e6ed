import type { Orientation } from './jpeg-orientation.ts';

/** Pixels of four bytes, row by row. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The source of a pixel of the upright image, for each camera orientation. */
const SOURCES: Readonly<
  Record<Orientation, (x: number, y: number, from: Pixels) => readonly [x: number, y: number]>
> = {
  1: (x, y) => [x, y],
  2: (x, y, { width }) => [width - 1 - x, y],
  3: (x, y, { width, height }) => [width - 1 - x, height - 1 - y],
  4: (x, y, { height }) => [x, height - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y, { height }) => [y, height - 1 - x],
  7: (x, y, { width, height }) => [width - 1 - y, height - 1 - x],
  8: (x, y, { width }) => [width - 1 - y, x],
};

/** Turns a photo upright, by the orientation in its EXIF data. Pure. */
export function upright(from: Pixels, orientation: Orientation): Pixels {
  if (orientation === 1) return from;
  const isOnItsSide = orientation >= 5;
  const width = isOnItsSide ? from.height : from.width;
  const height = isOnItsSide ? from.width : from.height;
  const source = SOURCES[orientation];
  const before = new Uint32Array(from.data.slice().buffer);
  const after = new Uint32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [fromX, fromY] = source(x, y, from);
      after[y * width + x] = before[fromY * from.width + fromX] ?? 0;
    }
  }
  return { data: new Uint8Array(after.buffer), width, height };
}
