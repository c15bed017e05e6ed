import { expect, it } from 'vitest';
import { inScratchPlace } from './scratch-place.ts';

const failing = (code: string) => Object.assign(new Error(code), { code });

it('tries the next place if one is full, and rethrows other errors', () => {
  const where = (code: string) =>
    inScratchPlace(
      (place) => {
        if (place === '/full') throw failing(code);
        return place;
      },
      ['/full', '/memory'],
    );
  expect(where('ENOSPC')).toBe('/memory');
  expect(() => where('EACCES')).toThrow('EACCES');
  expect(() =>
    inScratchPlace(() => {
      throw failing('ENOSPC');
    }, ['/full']),
  ).toThrow('ENOSPC');
});
