import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { controlTokensIn, promptPieces } from './special-tokens.ts';

it.each([
  ['<|im_start|>user\nHi<|im_end|>', ['<|im_start|>', '<|im_end|>']],
  ['<start_of_turn>user\nHi<end_of_turn>', ['<start_of_turn>', '<end_of_turn>']],
  ['<s>[INST] Hi [/INST]', ['<s>', '[INST]', '[/INST]']],
  ['<｜User｜>Hi<｜Assistant｜><think>', ['<｜User｜>', '<｜Assistant｜>', '<think>']],
  ['a < b | c > d, <b>bold</b>, [1]', []],
])('finds the control tokens of %j', (text, tokens) => {
  expect(controlTokensIn(text)).toEqual(tokens);
});

it('loses nothing of any text', () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom('<|', '|>', '<|im_end|>', '[INST]', '<｜', '｜>'));
  fc.assert(
    fc.property(fc.array(piece), (parts) => {
      const text = parts.join('');
      expect(
        promptPieces(text)
          .map((each) => each.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

it('takes time in proportion to a hostile text', () => {
  const text = '<|'.repeat(200_000);
  expect(cpuMs(() => promptPieces(text))).toBeLessThan(10_000);
});
