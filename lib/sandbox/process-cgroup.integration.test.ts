import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openSandbox } from './probe.ts';

const PROGRAM = `
  const { openSandbox } = await import(new URL('./probe.ts', process.env.HERE).href);
  const { report } = await openSandbox();
  console.log(report.available, report.reason ?? '');
`;

it('servers that start at the same time do not remove each other’s control groups', async ({ skip }) => {
  if (!(await openSandbox()).report.available) skip('commands cannot be confined here');
  const open = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      env: { NODE_ENV: 'test', PATH: process.env.PATH, HERE: import.meta.url },
    });
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all([open(), open(), open(), open()]);
    expect(answers.map(({ stdout }) => stdout.trim())).toEqual(['true', 'true', 'true', 'true']);
  }
});
