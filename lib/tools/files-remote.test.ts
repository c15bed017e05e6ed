import { afterAll, vi } from 'vitest';

// The same promises where the event loop must make no calls, as on a network file system.
vi.resetModules();
vi.doMock('../sandbox/mounts.ts', async (original) => ({
  ...(await original<typeof import('../sandbox/mounts.ts')>()),
  isOnLocalDisk: () => false,
}));
afterAll(() => void vi.doUnmock('../sandbox/mounts.ts'));

await import('./files.test.ts');
