import { expect, it } from 'vitest';
import { expandHome } from './home-path.ts';

it('replaces only a leading ~ with the home folder', () => {
  const on = (path: string) => expandHome(path, '/home/ada', 'linux');
  expect(on('~')).toBe('/home/ada');
  expect(on('~/notes')).toBe('/home/ada/notes');
  expect(on('~//notes/')).toBe('/home/ada/notes/');
  for (const path of ['/data/~', '~ada/notes', 'notes/~', '~\\notes', '', '/']) expect(on(path)).toBe(path);
});

it('accepts both separators on Windows', () => {
  const on = (path: string) => expandHome(path, 'C:\\Users\\Ada', 'win32');
  expect(on('~\\notes')).toBe('C:\\Users\\Ada\\notes');
  expect(on('~/notes')).toBe('C:\\Users\\Ada\\notes');
  expect(on('D:\\notes')).toBe('D:\\notes');
});
