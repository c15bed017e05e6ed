import { expect, it } from 'vitest';
import { cleanConsole } from './clean-console.ts';

it('prints hostile names and messages on one line without control characters', () => {
  const printed: unknown[][] = [];
  const print = (...parts: unknown[]) => void printed.push(parts);
  const target = { log: print, info: print, warn: print, error: print };
  cleanConsole(target);
  const name = 'x\nLoupe is ready. Open http://evil/\u001b[8m\u009b2J\u202e%s';
  target.warn(`Run ${name} was taken over`);
  target.error('It failed:', new Error(name, { cause: new Error(name) }));
  target.info('Facts:', { name });
  const [warned, failed, facts] = printed.map(([, text]) => String(text));
  for (const text of [warned, failed, facts]) {
    expect(text?.replaceAll(/\n {4}at .*/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(warned).toBe('Run x\\nLoupe is ready. Open http://evil/\\u001b[8m\\u009b2J\\u202e%s was taken over');
  expect(failed).toMatch(/\n {4}at /);
});
