import { createHash } from 'node:crypto';
import { expect, expectTypeOf, it } from 'vitest';
import { createExploreTools } from '../tools/explore-tools.ts';
import { type AgentState, buildPrompt, EXPLORE_SYSTEM_PROMPT } from './explore-prompt.ts';
import { parseOllamaResponse } from './explore-response.ts';

const state: AgentState = {
  run_id: 'r',
  cycle_number: 1,
  model_name: 'm',
  message_history: [],
  reflection_history: [],
};
const history = [
  { role: 'user' as const, content: 'Cycle 1.' },
  { role: 'assistant' as const, content: 'A note.', thinking: 'Hm.' },
];
const tools = createExploreTools().definitions;

it('X19: the state of an exploration has the fields of its source', () => {
  expect(Object.keys(state)).toEqual([
    ...['run_id', 'cycle_number', 'model_name', 'message_history', 'reflection_history'],
  ]);
  expectTypeOf<AgentState>().toHaveProperty('run_id').toEqualTypeOf<string>();
  expectTypeOf<AgentState>().toHaveProperty('cycle_number').toEqualTypeOf<number>();
  expectTypeOf<keyof AgentState>().toEqualTypeOf<keyof typeof state>();
});

it('X1: the system prompt is its source, character by character', () => {
  expect(EXPLORE_SYSTEM_PROMPT).toHaveLength(1129);
  expect(EXPLORE_SYSTEM_PROMPT).not.toMatch(/\n$/);
  expect(createHash('sha256').update(EXPLORE_SYSTEM_PROMPT).digest('hex')).toBe(
    '3d2107eab35e44096d66da9ffc5d20cb5e612e39c30aadb69b95fc51f36a114e',
  );
});

it('N6, X2: test_build_prompt_includes_system_message', () => {
  expect(buildPrompt(state, EXPLORE_SYSTEM_PROMPT, tools)).toEqual([
    { role: 'system', content: EXPLORE_SYSTEM_PROMPT },
  ]);
});

it('N6, X2: test_build_prompt_includes_message_history', () => {
  const prompt = buildPrompt({ ...state, message_history: history }, EXPLORE_SYSTEM_PROMPT, tools);
  expect(prompt).toHaveLength(3);
  expect(prompt.slice(1)).toEqual(history);
  expect(prompt[2]).toBe(history[1]);
});

it('N6, X3: test_build_prompt_appends_diversity_feedback', () => {
  const [system] = buildPrompt(state, EXPLORE_SYSTEM_PROMPT, tools, 'Look elsewhere.');
  expect(system?.content).toBe(`${EXPLORE_SYSTEM_PROMPT}\n\nLook elsewhere.`);
});

it('N6, X3, X4: test_build_prompt_without_diversity_feedback', () => {
  for (const feedback of [undefined, '']) {
    const [system] = buildPrompt(state, EXPLORE_SYSTEM_PROMPT, tools, feedback);
    expect(system?.content).toBe(EXPLORE_SYSTEM_PROMPT);
  }
  const text = JSON.stringify(
    buildPrompt({ ...state, message_history: history }, EXPLORE_SYSTEM_PROMPT, tools),
  );
  expect(text).not.toContain('pattern_search');
});

it('N7, X8: test_parse_response_detects_tool_call', () => {
  const call = { function: { name: 'write', arguments: { key: 'k', value: 'v' } } };
  expect(parseOllamaResponse({ message: { content: '', tool_calls: [call] } })).toEqual({
    type: 'TOOL_CALL',
    data: [{ name: 'write', arguments: { key: 'k', value: 'v' } }],
  });
  const tagged = '<tool_call>{"name": "read", "arguments": {"key": "k"}}</tool_call>';
  expect(parseOllamaResponse({ message: { content: tagged } }, { tools })).toEqual({
    type: 'TOOL_CALL',
    data: [{ name: 'read', arguments: { key: 'k' } }],
  });
});

it('N7, X8, K-22: test_parse_response_detects_final_reflection', () => {
  expect(parseOllamaResponse({ message: { content: 'I looked around.' } })).toEqual({
    type: 'FINAL_REFLECTION',
    data: 'I looked around.',
  });
  // Bare JSON is a quotation here, and an empty list of calls is none.
  const quoted = '{"name": "write", "arguments": {"key": "k", "value": "v"}}';
  expect(parseOllamaResponse({ message: { content: quoted, tool_calls: [] } }, { tools })).toEqual({
    type: 'FINAL_REFLECTION',
    data: quoted,
  });
});

it('N7, X8, K-28: test_parse_response_handles_empty_response', () => {
  const nothing = { type: 'FINAL_REFLECTION', data: '' };
  for (const response of [
    {},
    { message: null },
    { message: {} },
    { message: { content: '' } },
    null,
    undefined,
  ]) {
    expect(parseOllamaResponse(response)).toEqual(nothing);
  }
  expect(parseOllamaResponse({ message: { content: null, tool_calls: 'x', thinking: 7 } })).toEqual(nothing);
});
