import { afterAll, vi } from 'vitest';

// The same promises where descriptors can't be walked: the tools look at each step instead (macOS, Windows).
const { platform } = process;
Object.defineProperty(process, 'platform', { value: 'darwin' });
afterAll(() => void Object.defineProperty(process, 'platform', { value: platform }));

vi.resetModules();
await import('./files.test.ts');
