import { describe, expect, it } from 'vitest';
import { distinctModels, fullName, isSameInOllama, isSameModel, namesOfModel } from './model-name.ts';

describe('fullName', () => {
  it.each([
    ['qwen3', 'qwen3:latest'],
    ['qwen3:latest', 'qwen3:latest'],
    ['qwen3:8b', 'qwen3:8b'],
    // The colon before a port does not begin a tag.
    ['localhost:5000/team/qwen3', 'localhost:5000/team/qwen3:latest'],
  ])('is, of %s, %s', (model, full) => {
    expect(fullName(model)).toBe(full);
  });
});

it('takes a name without a tag for the model with the tag "latest"', () => {
  expect(isSameModel('qwen3', 'qwen3:latest')).toBe(true);
  expect(isSameModel('qwen3', 'qwen3:8b')).toBe(false);
});

it('compares names as Ollama does, without regard to case and its own registry', () => {
  expect(isSameInOllama('Qwen3', 'qwen3:latest')).toBe(true);
  expect(isSameInOllama('registry.ollama.ai/library/qwen3:8B', 'qwen3:8b')).toBe(true);
  expect(isSameInOllama('team/qwen3', 'qwen3')).toBe(false);
});

it('keeps each model once, under the first of its names', () => {
  expect(distinctModels(['qwen3', 'qwen3:8b', 'qwen3:latest', 'qwen3:8b'])).toEqual(['qwen3', 'qwen3:8b']);
});

it('lists the names of a model', () => {
  expect(namesOfModel('qwen3')).toEqual(['qwen3:latest', 'qwen3']);
  expect(namesOfModel('qwen3:latest')).toEqual(['qwen3:latest', 'qwen3']);
  expect(namesOfModel('qwen3:8b')).toEqual(['qwen3:8b']);
});
