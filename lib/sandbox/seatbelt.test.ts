import { expect, it } from 'vitest';
import { seatbeltArgv, seatbeltProfile } from './seatbelt.ts';

const lines = (readOnly: boolean) => seatbeltProfile({ readOnly }).split('\n');

it('denies by default, and the network explicitly [O8]', () => {
  expect(lines(false).slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  expect(lines(false)).toContain('(deny network*)');
  expect(seatbeltProfile({ readOnly: false })).not.toMatch(/\(allow (network|file-write\*\)|file\*)/);
});

it('denies writing to .git after the rule for the workspace, because the last rule wins [threat 3]', () => {
  const profile = lines(false);
  const workspace = profile.indexOf('(allow file-write* (subpath (param "WORKSPACE")))');
  expect(workspace).toBeGreaterThan(0);
  expect(profile.indexOf('(deny file-write* (subpath (param "GIT")))')).toBeGreaterThan(workspace);
});

it('a read-only workspace cannot be written', () => {
  expect(seatbeltProfile({ readOnly: true })).not.toContain(
    '(allow file-write* (subpath (param "WORKSPACE")))',
  );
});

it('all brackets are balanced', () => {
  for (const readOnly of [true, false]) {
    const profile = seatbeltProfile({ readOnly });
    expect(profile.split('(').length).toBe(profile.split(')').length);
  }
});

it('passes paths as parameters, so that none can break out of a string in the profile [O8]', () => {
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
