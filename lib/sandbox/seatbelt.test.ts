import { expect, it } from 'vitest';
import { seatbeltArgv, seatbeltProfile } from './seatbelt.ts';

const lines = (readOnly: boolean) => seatbeltProfile({ readOnly }).split('\n');

it('O8: denies by default, and the network by name', () => {
  expect(lines(false).slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  expect(lines(false)).toContain('(deny network*)');
  expect(seatbeltProfile({ readOnly: false })).not.toMatch(/\(allow (network|file-write\*\)|file\*)/);
});

it('threat 3: denies writing to .git after the workspace was allowed, since the last rule wins', () => {
  const profile = lines(false);
  const workspace = profile.indexOf('(allow file-write* (subpath (param "WORKSPACE")))');
  expect(workspace).toBeGreaterThan(0);
  expect(profile.indexOf('(deny file-write* (subpath (param "GIT")))')).toBeGreaterThan(workspace);
});

it('a read-only workspace is not allowed to be written', () => {
  expect(seatbeltProfile({ readOnly: true })).not.toContain(
    '(allow file-write* (subpath (param "WORKSPACE")))',
  );
});

it('every bracket is closed', () => {
  for (const readOnly of [true, false]) {
    const profile = seatbeltProfile({ readOnly });
    expect(profile.split('(').length).toBe(profile.split(')').length);
  }
});

it('O8: passes paths as parameters, so that none can end a string of the profile', () => {
  const workspace = '/Users/x/a") (allow default) (deny file-read* (literal "';
  const argv = seatbeltArgv(
    { workspace, argv: ['true'], timeoutMs: 1 },
    ['/bin/sh', '-c', 'ls'],
    '/private/tmp/s',
  );
  expect(argv).toContain(`WORKSPACE=${workspace}`);
  expect(argv.at(argv.indexOf('-p') + 1)).toBe(seatbeltProfile({ readOnly: false }));
  expect(argv.slice(-3)).toEqual(['/bin/sh', '-c', 'ls']);
});
