import { afterAll, vi } from 'vitest';

// The same promises where descriptors can't be walked: the tools look at each step instead (macOS, Windows).
const { platform } = process;
Object.defineProperty(process, 'platform', { value: 'darwin' });
afterAll(() => {
  Object.defineProperty(process, 'platform', { value: platform });
  vi.resetModules(); // the files after this one share its modules
});

vi.resetModules();
await import('./files.test.ts');
