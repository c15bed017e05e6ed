import { expect, it } from 'vitest';
import { OutputCapture } from '../sandbox/output-capture.ts';
import type { CommandOutcome } from '../sandbox/sandbox.ts';
import { commandResult } from './run-command.ts';

const stream = (text: string) => ({ text, totalBytes: Buffer.byteLength(text), omittedBytes: 0 });
const outcome = (changes: Partial<CommandOutcome>): CommandOutcome => ({
  end: 'exited',
  exitCode: 0,
  stdout: stream(''),
  stderr: stream(''),
  durationMs: 12.4,
  ...changes,
});
const result = (changes: Partial<CommandOutcome>) =>
  commandResult(outcome(changes), {
    tool: 'run_command',
    timeoutMs: 1000,
    autoRunFiles: { files: [], complete: true },
  });

it('treats exit status 0 as success [O3]', () => {
  expect(result({ stdout: stream('hi\n') })).toEqual({
    success: true,
    tool: 'run_command',
    output: { exit_code: 0, stdout: 'hi\n', stderr: '', duration_ms: 12 },
  });
});

it('treats other exit statuses as a failure that keeps the output, exit_code first [O3]', () => {
  const failure = result({ exitCode: 2, stderr: stream('no such file\n') });
  expect(failure).toMatchObject({
    success: false,
    output: { exit_code: 2, error: 'Exit code 2.', stderr: 'no such file\n' },
  });
  expect(JSON.stringify(failure)).toContain('"output":{"exit_code":2,');
});

it.each([
  [{ end: 'timeout', exitCode: undefined }, /time limit of 1000 ms/],
  [{ end: 'stopped', exitCode: undefined }, /Stopped by the operator/],
  [{ end: 'output_limit', exitCode: undefined }, /too much output/],
  [{ end: 'memory_limit', exitCode: undefined }, /too much memory/],
  [{ end: 'process_limit', exitCode: undefined }, /too many processes/],
  [{ end: 'disk_full', exitCode: undefined }, /disk/],
  [{ exitCode: 127 }, /not found/],
  [{ exitCode: 137 }, /memory/],
  [{ exitCode: 139 }, /signal 11/],
  [{ exitCode: 152 }, /CPU time/],
  [{ exitCode: 153 }, /size limit/],
] as const)('says why it failed: %j [O7]', (changes, words) => {
  const failure = result(changes);
  expect(failure.success).toBe(false);
  expect((failure.output as { error: string }).error).toMatch(words);
});

it('marks a timed-out command in its own field [O7]', () => {
  expect(result({ end: 'timeout', exitCode: undefined }).output).toMatchObject({
    exit_code: null,
    timed_out: true,
    killed: true,
  });
});

it('fits both streams into 64 KB of JSON, keeping their starts and ends [O9]', () => {
  const long = (mark: string) => `begin-${mark} ${'"\n'.repeat(60_000)} end-${mark}`;
  for (const [stdout, stderr] of [
    [long('out'), long('err')],
    [long('out'), ''],
    ['', long('err')],
    ['short', long('err')],
  ] as const) {
    const cut = result({ stdout: stream(stdout), stderr: stream(stderr) });
    expect(cut.truncated).toBe(true);
    const json = JSON.stringify(cut);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(json)).toBeGreaterThan(58 * 1024);
    for (const mark of [stdout && 'out', stderr && 'err']) {
      if (mark && (mark === 'err' || stdout.length > 10)) {
        expect(json).toContain(`begin-${mark}`);
        expect(json).toContain(`end-${mark}`);
      }
    }
  }
});

it.each([
  ['plain', 'x'.repeat(99)],
  ['quoted', '"'.repeat(99)],
])('says how much of a long %s stream is missing [O9]', (_kind, line) => {
  const capture = new OutputCapture(32 * 1024);
  for (let count = 0; count < 50_000; count++) capture.push(Buffer.from(`${line}\n`));
  const { output, truncated } = result({ stdout: capture.read() });
  const { stdout } = output as { stdout: string };
  const marks = [...stdout.matchAll(/\n\[… (\d+) bytes left out …\]\n/g)];
  expect(truncated).toBe(true);
  expect(marks).toHaveLength(1);
  expect(stdout.length - (marks[0]?.[0].length ?? 0) + Number(marks[0]?.[1])).toBe(5_000_000);
  expect(stdout).not.toContain('characters left out');
});

it('lists a bounded number of auto-run files and counts the rest (O9)', () => {
  const bounded = (files: string[]) =>
    commandResult(outcome({ stdout: stream('"\n'.repeat(60_000)) }), {
      tool: 'run_command',
      timeoutMs: 1000,
      autoRunFiles: { files, complete: true },
    });
  const short = Array.from({ length: 500 }, (_, index) => `${index}/.envrc`);
  expect(bounded(short).output).toMatchObject({
    auto_run_files: short.slice(0, 100),
    auto_run_files_left_out: 400,
  });
  const long = bounded(short.map((path) => `${'"\n'.repeat(100)}${path}`));
  const { auto_run_files: named, auto_run_files_left_out: left } = long.output as Record<string, unknown>;
  expect(named).toHaveProperty('length', 500 - Number(left));
  for (const each of [bounded(short), long]) {
    expect(Buffer.byteLength(JSON.stringify(each))).toBeLessThanOrEqual(64 * 1024);
  }
  expect(bounded(['.envrc']).output).not.toHaveProperty('auto_run_files_left_out');
});

it('says if not all files could be checked for auto-run files (O9)', () => {
  const autoRunFiles = { files: ['.envrc'], complete: false };
  expect(
    commandResult(outcome({}), { tool: 'run_command', timeoutMs: 1000, autoRunFiles }).output,
  ).toMatchObject({
    auto_run_files: ['.envrc'],
    auto_run_files_note: expect.stringContaining('too many files'),
  });
  expect(result({}).output).not.toHaveProperty('auto_run_files_note');
});
