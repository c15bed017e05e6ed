import { expect, it } from 'vitest';
import { MAX_TAG_CHARS } from '../../events/limits.ts';
import { typedTags } from './typed-tags.ts';

it('separates tags at commas and leaves out empty ones', () => {
  expect(typedTags(' baseline, to check,, ')).toEqual(['baseline', 'to check']);
});

it('cuts a long tag before an emoji, not in it', () => {
  const letters = 'x'.repeat(MAX_TAG_CHARS - 1);
  expect(typedTags(`${letters}🙂`)).toEqual([letters]);
  expect(typedTags(`${letters}yz`)).toEqual([`${letters}y`]);
});
