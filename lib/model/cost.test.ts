import { expect, it } from 'vitest';
import { calculateCost } from './cost.ts';

const usage = { tokensIn: 2_000_000, tokensOut: 500_000 };
const prices = { cloud: { big: { inputUsdPerMillion: 2, outputUsdPerMillion: 8 } } };

it('V3: local Ollama costs 0, whatever the model', () => {
  expect(calculateCost({ ...usage, model: 'qwen3:8b' })).toBe(0);
  expect(calculateCost({ ...usage, provider: 'ollama', model: 'big' }, prices)).toBe(0);
});

it('V3: others follow the price table', () => {
  expect(calculateCost({ ...usage, provider: 'cloud', model: 'big' }, prices)).toBe(8);
  expect(calculateCost({ provider: 'openai', model: 'gpt-4o', tokensIn: 1_000_000, tokensOut: 0 })).toBe(2.5);
});

it('a model without a price has no cost, which is not a cost of 0', () => {
  expect(calculateCost({ ...usage, provider: 'cloud', model: 'new' }, prices)).toBeUndefined();
  expect(calculateCost({ ...usage, provider: '__proto__', model: 'toString' }, prices)).toBeUndefined();
});

it('T8: counts that are no numbers add nothing', () => {
  expect(
    calculateCost({ provider: 'cloud', model: 'big', tokensIn: Number.NaN, tokensOut: -1 }, prices),
  ).toBe(0);
});
