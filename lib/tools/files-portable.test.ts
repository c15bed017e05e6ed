// The same promises where descriptors can't be walked: the tools look at each step instead (macOS, Windows).
Object.defineProperty(process, 'platform', { value: 'darwin' });
await import('./files.test.ts');

export {};
