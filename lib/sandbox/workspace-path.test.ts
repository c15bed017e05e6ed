import fc from 'fast-check';
import { expect, it } from 'vitest';
import { workspaceSteps } from './workspace-path.ts';

it('splits a path into steps from the root [O5]', () => {
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
])('rejects %j, which leaves the workspace [O5]', (path) => {
  expect(() => workspaceSteps(path)).toThrow(expect.objectContaining({ code: 'path_outside' }));
});

it.each(['', 'a\0b', 'a'.repeat(5000), 'a\ud800b'])('rejects an invalid path (case %#) [O5]', (path) => {
  expect(() => workspaceSteps(path)).toThrow(expect.objectContaining({ code: 'path_invalid' }));
});

it('never yields "..", ".", an empty step or one with a separator [O5]', () => {
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
