import { afterAll, vi } from 'vitest';

// The same guarantees on systems without descriptor-relative paths (macOS, Windows), where the tools check
// each step instead.
const { platform } = process;
Object.defineProperty(process, 'platform', { value: 'darwin' });
afterAll(() => {
  Object.defineProperty(process, 'platform', { value: platform });
  vi.resetModules(); // later test files share these modules
});

vi.resetModules();
await import('./files.test.ts');
