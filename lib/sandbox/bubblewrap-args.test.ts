import { expect, it } from 'vitest';
import { serverOptions } from './bubblewrap-args.ts';
import { describeHost } from './host-system.ts';
import { DEFAULT_LIMITS } from './sandbox.ts';

it('leaves the paths of people to the folders of servers', () => {
  const options = serverOptions({
    host: describeHost(),
    features: { disableUserns: true, tmpfsSize: true },
    limits: DEFAULT_LIMITS,
    devices: undefined,
    filter: false,
    checkFd: 9,
    network: false,
    folders: [{ path: '/check/notes', access: 'read', protectedGit: [] }],
    home: undefined,
    cwd: '/check/notes',
    env: {},
  });
  const files = options.flatMap((option, index) =>
    option === '--file' ? [options[index + 2] as string] : [],
  );
  expect(files.filter((path) => !path.startsWith('/etc/'))).toEqual(['/.loupe-check']);
});
