import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { buildPrompt, EXPLORE_SYSTEM_PROMPT } from './explore-prompt.ts';

const history = [
  { role: 'user' as const, content: 'Cycle 1.' },
  { role: 'assistant' as const, content: 'A note.', thinking: 'Hm.' },
];
it('the system prompt is identical to its source [X1]', () => {
  expect(EXPLORE_SYSTEM_PROMPT).toHaveLength(1129);
  expect(EXPLORE_SYSTEM_PROMPT).not.toMatch(/\n$/);
  expect(createHash('sha256').update(EXPLORE_SYSTEM_PROMPT).digest('hex')).toBe(
    '3d2107eab35e44096d66da9ffc5d20cb5e612e39c30aadb69b95fc51f36a114e',
  );
});

it('test_build_prompt_includes_system_message [N6, X2]', () => {
  expect(buildPrompt([], EXPLORE_SYSTEM_PROMPT)).toEqual([
    { role: 'system', content: EXPLORE_SYSTEM_PROMPT },
  ]);
});

it('test_build_prompt_includes_message_history [N6, X2]', () => {
  const prompt = buildPrompt(history, EXPLORE_SYSTEM_PROMPT);
  expect(prompt).toHaveLength(3);
  expect(prompt.slice(1)).toEqual(history);
  expect(prompt[2]).toBe(history[1]);
});

it('test_build_prompt_appends_diversity_feedback [N6, X3]', () => {
  const [system] = buildPrompt([], EXPLORE_SYSTEM_PROMPT, 'Look elsewhere.');
  expect(system?.content).toBe(`${EXPLORE_SYSTEM_PROMPT}\n\nLook elsewhere.`);
});

it('test_build_prompt_without_diversity_feedback [N6, X3]', () => {
  for (const feedback of [undefined, '']) {
    const [system] = buildPrompt([], EXPLORE_SYSTEM_PROMPT, feedback);
    expect(system?.content).toBe(EXPLORE_SYSTEM_PROMPT);
  }
});
