import { describe, expect, it } from 'vitest';
import { folderName, isWholePath, pastedPath, pathInField } from './folder-path.ts';

it('treats paths from the root, from a drive and from the home folder as absolute', () => {
  for (const path of [
    '/',
    '/data/notes',
    '~',
    '~/notes',
    '~\\notes',
    'C:\\notes',
    'd:/notes',
    '\\\\server\\share',
  ]) {
    expect(isWholePath(path), path).toBe(true);
  }
  for (const path of ['', 'notes', './notes', '../notes', '~ada/notes', 'C:notes', '\\notes']) {
    expect(isWholePath(path), path).toBe(false);
  }
});

describe('a pasted or dropped path', () => {
  it.each([
    ['  /data/notes \n', '/data/notes'],
    ['"/data/my notes"', '/data/my notes'],
    ["'~/notes'", '~/notes'],
    ['/data/my\\ notes\\ \\(old\\)', '/data/my notes (old)'],
    ['"C:\\Users\\Ada\\My notes"', 'C:\\Users\\Ada\\My notes'],
    ['file:///home/ada/my%20notes\r\nfile:///home/ada/other', '/home/ada/my notes'],
    ['file://localhost/data', '/data'],
    ['file:///C:/Users/Ada', 'C:/Users/Ada'],
    ['', ''],
  ])('%j is %j', (text, path) => {
    expect(pastedPath(text)).toBe(path);
  });

  it('is left as it is if no path can be read from it', () => {
    for (const text of ['file://server/share', 'file:///%ff', 'https://example.com/notes', 'notes']) {
      expect(pastedPath(text)).toBe(text);
      expect(isWholePath(pastedPath(text))).toBe(false);
    }
  });
});

it('names a folder as people do', () => {
  expect(folderName('/data/notes/')).toBe('notes');
  expect(folderName('C:\\Users\\Ada')).toBe('Ada');
  expect(folderName('/')).toBe('/');
});

it('keeps a path that could not be listed in the field', () => {
  const field = { typed: undefined, wanted: '/data/ntoes', listed: '/home/ada', failed: true };
  expect(pathInField(field)).toBe('/data/ntoes');
  expect(pathInField({ ...field, typed: '/data/no' })).toBe('/data/no');
  expect(pathInField({ ...field, wanted: '/data/notes', listed: '/data/notes', failed: false })).toBe(
    '/data/notes',
  );
  expect(pathInField({ ...field, wanted: '' })).toBe('/home/ada');
});
