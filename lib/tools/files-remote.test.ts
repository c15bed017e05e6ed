import { afterAll, vi } from 'vitest';

// The same promises where the event loop must make no calls, as on a network file system.
vi.resetModules();
vi.doMock('../sandbox/mounts.ts', async (original) => ({
  ...(await original<typeof import('../sandbox/mounts.ts')>()),
  isOnLocalDisk: () => false,
}));
afterAll(() => {
  vi.doUnmock('../sandbox/mounts.ts');
  vi.resetModules(); // the files after this one share its modules
});

await import('./files.test.ts');
