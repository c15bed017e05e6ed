import { expect, it } from 'vitest';
import { embeddedImage } from './embedded-image.ts';

const url = (type: string, bytes: readonly number[]) => {
  const padded = [...bytes, ...Array.from({ length: 60 - bytes.length }, () => 0)];
  return `data:image/${type};base64,${Buffer.from(padded).toString('base64')}`;
};
const ascii = (text: string) => [...Buffer.from(text, 'latin1')];
const png = (width: number, height: number) => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return url('png', [...ascii('\x89PNG\r\n\x1a\n'), 0, 0, 0, 13, ...ascii('IHDR'), ...size]);
};

it('reads the size of a picture from its header', () => {
  expect(embeddedImage(png(640, 480))).toEqual({ type: 'png', width: 640, height: 480, bytes: 60 });
  expect(embeddedImage(url('gif', [...ascii('GIF89a'), 2, 0, 3, 0]))).toMatchObject({ width: 2, height: 3 });
  const frame = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 20, 0, 10];
  expect(embeddedImage(url('jpeg', frame))).toMatchObject({ width: 10, height: 20 });
  const extended = [
    ...ascii('RIFF'),
    0,
    0,
    0,
    0,
    ...ascii('WEBPVP8X'),
    10,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    9,
    0,
    0,
    19,
    0,
    0,
  ];
  expect(embeddedImage(url('webp', extended))).toMatchObject({ width: 10, height: 20 });
});

it('refuses pictures that would fill the memory, other types, and data that is not a picture', () => {
  for (const refused of [
    png(60_000, 60_000),
    png(0, 5),
    png(10, 10).replace('image/png', 'image/svg+xml'),
    png(10, 10).replace('image/png', 'image/gif'),
    `${png(10, 10)}" onload="alert(1)`,
    'data:image/png;base64,AAAA',
    'data:image/jpeg;base64,/9j/4AAQ',
    'http://192.0.2.1/a.png',
    '',
  ]) {
    expect(embeddedImage(refused), refused.slice(0, 60)).toBeUndefined();
  }
});
