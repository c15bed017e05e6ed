import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

function start(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'start.mjs'), ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

it.each(['--help', '-h'])('%s prints the help and starts nothing', (option) => {
  expect(start(option)).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^Usage: npm start .*--host ADDRESS/),
    stderr: '',
  });
});

it('names an option that does not exist', () => {
  expect(start('--bogus')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^There is no option --bogus\.\n\nUsage: npm start/),
  });
});

it.each([
  { args: ['--host'], problem: '--host needs an address.' },
  { args: ['8080'], problem: 'Unexpected argument "8080".' },
])('says what is wrong with $args', ({ args, problem }) => {
  const { status, stderr } = start(...args);
  expect({ status, problem: stderr.split('\n\n')[0] }).toEqual({ status: 2, problem });
});

it('refuses an empty address, which would be every address of this machine', () => {
  expect(start('--host', '')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^--host needs an address\.\n\nUsage: npm start/),
  });
});
