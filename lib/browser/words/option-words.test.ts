import { expect, it } from 'vitest';
import { variationWords } from './option-words.ts';

it('names the options, and what was sent where it differs', () => {
  expect(variationWords({ options: { temperature: 0, num_ctx: 32_768 } })).toBe(
    'temperature 0, num_ctx 32768',
  );
  expect(
    variationWords({ options: { num_ctx: 32_768, num_predict: 5 } }, { num_ctx: 8192, num_predict: 5 }),
  ).toBe('num_ctx 32768 (sent 8192), num_predict 5');
  expect(variationWords({ options: {} })).toBe('');
});

it('shows factors beside the options, lists as JSON and long texts cut', () => {
  const factors = { think: false, parser_layers: ['native', 'xml'], system: 'x'.repeat(500) };
  const words = variationWords({ options: { top_k: 1 }, factors });
  expect(words).toMatch(/^top_k 1, think false, parser_layers \["native","xml"\], system x+…$/);
  expect(variationWords({ options: {}, factors: { window_tokens: 8192 } }, { num_ctx: 4096 })).toBe(
    'window_tokens 8192 (sent 4096)',
  );
});
