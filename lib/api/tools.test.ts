import { expect, it } from 'vitest';
import { createRunRequest } from './create-run.ts';
import { toolsProblem, withoutAddedRules, withServerTools } from './tools.ts';

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

it('repeats only the start of a long name', () => {
  expect(toolsProblem('session', ['x'.repeat(100_000)])).toMatch(/no tool "x{59}…"\. It has run_command, /);
  expect(toolsProblem('explore', [`a__${'x'.repeat(100_000)}`])).toMatch(/cannot use a__x{56}…\.$/);
});

it('refuses tools for a single answer, and a choice of none', () => {
  const problems = (fields: object) =>
    createRunRequest
      .safeParse({ task: 'Do it.', model: 'm', ...fields })
      .error?.issues.map(({ message }) => message);
  expect(problems({ tools: ['read_file'], agentic: false })).toEqual([
    expect.stringContaining('a single answer, which has no tools'),
  ]);
  expect(problems({ tools: [] })).toEqual(['Name at least one tool.']);
  expect(problems({ tools: ['rm'] })).toEqual([expect.stringContaining('no tool "rm"')]);
});

const servers = [
  {
    server: 'files',
    tools: ['files__read', 'files__write'].map((name) => ({
      name,
      description: '',
      estimated_tokens: 1,
      unasked: false,
    })),
  },
];

it('accepts tools of servers only in runs with files [O19]', () => {
  expect(toolsProblem('task', ['read_file', 'files__read', 'files__*'])).toBeUndefined();
  expect(toolsProblem('explore', ['files__read'])).toMatch(/cannot use files__read/);
});

it('expands a wildcard to the tools of its server, and names a missing one [O19]', () => {
  expect(withServerTools(['read_file', 'files__*', 'files__read'], servers)).toEqual({
    names: ['read_file', 'files__read', 'files__write'],
  });
  expect(withServerTools(['files__raed'], servers)).toEqual({
    problem: 'The server "files" has no accepted tool "files__raed". Did you mean files__read?',
  });
  expect(withServerTools(['other__*'], servers)).toEqual({
    problem: 'There is no enabled server "other" with accepted tools.',
  });
});

it('lets no file decide that calls of servers run unasked [threat 23]', () => {
  const tools = { files__write: 'auto', files__read: 'deny', write_file: 'auto' } as const;
  expect(withoutAddedRules({ default: 'auto', tools })).toEqual({
    default: 'auto',
    tools: { files__read: 'deny', write_file: 'auto' },
  });
});
