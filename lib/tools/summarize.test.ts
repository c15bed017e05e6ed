import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLineSummary } from './summarize.ts';
import type { ToolResult } from './tool.ts';

it('summarizes tool, main argument, outcome and size in one line [C4]', () => {
  const ok: ToolResult = { success: true, tool: 'read_file', output: { content: 'x'.repeat(2000) } };
  expect(oneLineSummary({ name: 'read_file', arguments: { path: 'src/a.ts' } }, ok, 'path')).toBe(
    'read_file src/a.ts: ok, 2.0 KB',
  );
  const failure: ToolResult = {
    success: false,
    tool: 'run_command',
    output: { exit_code: 2, error: 'Exit code 2.' },
  };
  expect(
    oneLineSummary({ name: 'run_command', arguments: { command: 'npm test\n' } }, failure, 'command'),
  ).toBe('run_command npm test: failed (Exit code 2.), 38 B');
});

it('returns one line of at most 160 characters that keeps the outcome, for any input [C4]', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constantFrom('\n'.repeat(300), '🙂'.repeat(300)),
  );
  fc.assert(
    fc.property(text, text, text, fc.boolean(), (name, argument, error, success) => {
      const result: ToolResult = success
        ? { success, tool: name, output: error }
        : { success, tool: name, output: { error } };
      const line = oneLineSummary({ name, arguments: { path: argument } }, result, 'path');
      expect(line.length).toBeLessThanOrEqual(160);
      expect(line).not.toMatch(/[\r\n\u2028\u2029\u0085]/);
      expect(line).toMatch(success ? /: ok, [\d.]+ K?B$/ : /: failed \(.*\), [\d.]+ K?B$/);
    }),
  );
});
