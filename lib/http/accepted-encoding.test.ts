import { expect, it } from 'vitest';
import { acceptedEncoding } from './accepted-encoding.ts';

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['BR ; Q=1 , gzip;q=0.8', 'br'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*;q=0', undefined],
  ['gzip;q=x', undefined],
  ['identity', undefined],
  ['', undefined],
  [undefined, undefined],
] as const)('%s leads to %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});
