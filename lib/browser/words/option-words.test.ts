import { expect, it } from 'vitest';
import { optionWords } from './option-words.ts';

it('names the options, and what was sent where it differs', () => {
  expect(optionWords({ temperature: 0, num_ctx: 32_768 })).toBe('temperature 0, num_ctx 32768');
  expect(optionWords({ num_ctx: 32_768, num_predict: 5 }, { num_ctx: 8192, num_predict: 5 })).toBe(
    'num_ctx 32768 (sent 8192), num_predict 5',
  );
  expect(optionWords({})).toBe('');
});
