import { afterAll, vi } from 'vitest';

// The same guarantees where the event loop must make no file calls, as on a network file system.
vi.resetModules();
vi.doMock('../sandbox/mounts.ts', async (original) => ({
  ...(await original<typeof import('../sandbox/mounts.ts')>()),
  isOnLocalDisk: () => false,
}));
afterAll(() => {
  vi.doUnmock('../sandbox/mounts.ts');
  vi.resetModules(); // later test files share these modules
});

await import('./files.test.ts');
