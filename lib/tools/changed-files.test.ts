import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MAX_KEPT_BYTES } from '../events/limits.ts';
import { toolsUnderTest } from './under-test.ts';

const asking = (path: string, content = 'new') => ({ name: 'write_file', arguments: { path, content } });

it('returns nothing for tools that change no file, and for paths that the call will refuse', async () => {
  await using tools = await toolsUnderTest();
  expect(await tools.box.fileBefore?.({ name: 'read_file', arguments: { path: 'a' } })).toBeUndefined();
  expect(await tools.box.fileBefore?.(asking('../a'))).toBeUndefined();
  expect(await tools.box.fileBefore?.(asking('.'))).toBeUndefined();
});

it('logs the content again if something else than the run changed the file', async () => {
  await using tools = await toolsUnderTest();
  await tools.box.fileBefore?.(asking('a'));
  await tools.output('write_file', { path: 'a', content: 'new' });
  expect(await tools.box.fileBefore?.(asking('a'))).toMatchObject({ before: { kind: 'unchanged' } });
  await writeFile(join(tools.workspace, 'a'), 'by hand');
  expect(await tools.box.fileBefore?.(asking('a'))).toMatchObject({
    before: { kind: 'text', text: 'by hand' },
  });
});

it('does not replace a file that changed after its content was logged', async () => {
  await using tools = await toolsUnderTest();
  const path = join(tools.workspace, 'a');
  await writeFile(path, 'logged');
  await tools.box.fileBefore?.(asking('a'));
  await writeFile(path, 'written meanwhile');
  expect(await tools.error('write_file', { path: 'a', content: 'new' })).toBe(
    'Another program has just changed "a". Read it again before you write it.',
  );
  expect(await readFile(path, 'utf8')).toBe('written meanwhile');
  expect((await tools.output('write_file', { path: 'a', content: 'new' })).created).toBe(false);
});

it('does not replace a file that is too large to be kept', async () => {
  await using tools = await toolsUnderTest();
  const path = join(tools.workspace, 'large');
  await writeFile(path, '');
  await truncate(path, MAX_KEPT_BYTES + 1);
  expect(await tools.box.fileBefore?.(asking('large'))).toEqual({
    path: 'large',
    before: { kind: 'not_kept', size_bytes: MAX_KEPT_BYTES + 1 },
  });
  expect(await tools.error('write_file', { path: 'large', content: '' })).toContain('Write to another path.');
});
