import { expect, it } from 'vitest';
import { toolCost, toolSummary } from './tool-words.ts';

const tools = [
  { name: 'read_file', description: 'Read a file, e.g.a text. Long files are cut.', estimated_tokens: 120 },
  { name: 'list', description: 'List memories', estimated_tokens: 40 },
];

it('describes a tool in its first sentence', () => {
  expect(toolSummary(tools, 'read_file')).toBe('Read a file, e.g.a text.');
  expect(toolSummary(tools, 'list')).toBe('List memories');
  expect(toolSummary(tools, 'write')).toBeUndefined();
});

it('adds up the share of the window that the offered tools take', () => {
  expect(toolCost(tools, ['read_file', 'list'], 1600)).toBe(
    '2 tools: about 160 tokens in every request, 10% of the window.',
  );
  expect(toolCost(tools, ['list'], 32_768)).toBe(
    '1 tool: about 40 tokens in every request, less than 1% of the window.',
  );
});
