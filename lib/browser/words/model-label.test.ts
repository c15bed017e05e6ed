import { describe, expect, it } from 'vitest';
import { modelLabel, modelLabels } from './model-label.ts';

describe('modelLabel', () => {
  it('keeps the end of a long name, where models of a family differ', () => {
    const coder = (size: string) => `hf.co/bartowski/Qwen2.5-Coder-${size}-Instruct-GGUF:Q4_K_M`;
    expect(modelLabel('qwen3:8b')).toBe('qwen3:8b');
    expect(modelLabel(coder('7B'))).toBe('…/Qwen2.5-Coder-7B-Instruct-GGUF:Q4_K_M');
    expect(modelLabel(coder('14B'))).toBe('…/Qwen2.5-Coder-14B-Instruct-GGUF:Q4_K_M');
    const long = modelLabel(`${'a-model-with-a-very-long-name-'.repeat(3)}q4-k-m`);
    expect(long).toHaveLength(40);
    expect(long).toMatch(/^a-model-with-.*….*-long-name-q4-k-m$/);
  });

  it('has no line break and no hidden character', () => {
    expect(modelLabel('a\nb‮c')).toBe('a ⏎ b⟨RLO⟩c');
  });
});

describe('modelLabels', () => {
  it('distinguishes models whose labels would be equal', () => {
    const of = (owner: string) => `hf.co/${owner}/Qwen2.5-Coder-7B-Instruct-GGUF:Q4_K_M`;
    expect(modelLabels([of('bartowski'), of('unsloth'), 'qwen3:8b'])).toEqual([
      of('bartowski'),
      of('unsloth'),
      'qwen3:8b',
    ]);
  });
});
