import { describe, expect, it } from 'vitest';
import { fullName, isSameModel } from './model-name.ts';

describe('fullName', () => {
  it.each([
    ['qwen3', 'qwen3:latest'],
    ['qwen3:latest', 'qwen3:latest'],
    ['qwen3:8b', 'qwen3:8b'],
    // The colon of a port is no tag.
    ['localhost:5000/team/qwen3', 'localhost:5000/team/qwen3:latest'],
  ])('is, of %s, %s', (model, full) => {
    expect(fullName(model)).toBe(full);
  });
});

it('takes a name without a tag for the model with the tag "latest"', () => {
  expect(isSameModel('qwen3', 'qwen3:latest')).toBe(true);
  expect(isSameModel('qwen3', 'qwen3:8b')).toBe(false);
});
