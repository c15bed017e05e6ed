import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const PROGRAM = `
  const { surviveExceptions } = await import(new URL('./survive-exceptions.ts', process.env.HERE).href);
  surviveExceptions();
  setTimeout(() => { throw new Error('thrown where nobody listens'); });
  void Promise.reject(new Error('rejected where nobody listens'));
  setTimeout(() => console.log('alive'), 50);
`;

it('fault matrix: an uncaught exception is logged, and the server keeps running', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH, HERE: import.meta.url },
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: 'alive\n', status: 0 });
  expect(stderr).toContain('thrown where nobody listens');
  expect(stderr).toContain('rejected where nobody listens');
});
