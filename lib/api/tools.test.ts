import { expect, it } from 'vitest';
import { createRunRequest } from './create-run.ts';
import { toolsProblem } from './tools.ts';

it('names a tool that the mode does not have, with the nearest one and all there are', () => {
  expect(toolsProblem('session', ['read_file', 'run_command'])).toBeUndefined();
  expect(toolsProblem('session', ['readfile'])).toMatch(
    /^The mode "session" has no tool "readfile"\. Did you mean read_file\? It has run_command, read_file, /,
  );
  expect(toolsProblem('explore', ['run_command'])).toContain('no tool "run_command". It has write, read,');
});

it('refuses a tool that is named twice', () => {
  expect(toolsProblem('task', ['read_file', 'read_file'])).toBe('read_file is named twice.');
});

it('refuses tools for a single answer, and a choice of none', () => {
  const problems = (fields: object) =>
    createRunRequest
      .safeParse({ task: 'Do it.', model: 'm', ...fields })
      .error?.issues.map(({ message }) => message);
  expect(problems({ tools: ['read_file'], agentic: false })).toEqual(['A single answer calls no tools.']);
  expect(problems({ tools: [] })).toEqual(['Name at least one tool.']);
  expect(problems({ tools: ['rm'] })).toEqual([expect.stringContaining('no tool "rm"')]);
});
