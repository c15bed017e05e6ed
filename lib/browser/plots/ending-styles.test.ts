import { expect, it } from 'vitest';
import { ENDING_STYLES } from './ending-styles.ts';

it('no two endings look the same', () => {
  const looks = Object.values(ENDING_STYLES).map(({ color, texture }) => `${texture} ${color}`);
  expect(new Set(looks).size).toBe(looks.length);
});
