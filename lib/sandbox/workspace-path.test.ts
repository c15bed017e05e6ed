import fc from 'fast-check';
import { expect, it } from 'vitest';
import { workspaceSteps } from './workspace-path.ts';

it('O5: splits a path into the steps from the root', () => {
  expect(workspaceSteps('src/./a.ts')).toEqual(['src', 'a.ts']);
  expect(workspaceSteps('a//b/../c/')).toEqual(['a', 'c']);
  for (const root of ['.', './', 'a/..', '/workspace', '/workspace/', '/workspace//.'])
    expect(workspaceSteps(root)).toEqual([]);
  expect(workspaceSteps('/workspace/src/a.ts')).toEqual(['src', 'a.ts']);
  expect(workspaceSteps('..a/...')).toEqual(['..a', '...']);
});

it.each([
  '..',
  '../x',
  'a/../../x',
  '/etc/passwd',
  '/',
  '//etc/passwd',
  '/workspace-evil/x',
  '/workspace/../etc/passwd',
  '/workspacex',
  'C:\\Windows',
  'c:/Windows',
  '\\\\server\\share',
  './././../x',
])('O5: refuses %j, which leads out', (path) => {
  expect(() => workspaceSteps(path)).toThrow(expect.objectContaining({ code: 'path_outside' }));
});

it.each(['', 'a\0b', 'a'.repeat(5000), 'a\ud800b'])('O5: refuses what is no path (case %#)', (path) => {
  expect(() => workspaceSteps(path)).toThrow(expect.objectContaining({ code: 'path_invalid' }));
});

it('O5: never yields a step that climbs, stands still or holds a separator', () => {
  const piece = fc.constantFrom('..', '.', '', 'a', 'workspace', '...', ' ', '\u2215', '%2e%2e', 'b c');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.boolean(), (pieces, absolute) => {
      try {
        for (const step of workspaceSteps((absolute ? '/' : '') + pieces.join('/'))) {
          expect(['', '.', '..']).not.toContain(step);
          expect(step).not.toContain('/');
        }
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^path_(outside|invalid)$/) });
      }
    }),
  );
});
