import { expect, it } from 'vitest';
import { isComposing } from './typing.ts';

it('leaves the keys of an input method to it, even where they come after the composition', () => {
  expect(isComposing({ isComposing: true, keyCode: 13 })).toBe(true);
  expect(isComposing({ isComposing: false, keyCode: 229 })).toBe(true);
  expect(isComposing({ isComposing: false, keyCode: 13 })).toBe(false);
});
