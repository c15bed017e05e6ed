import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { toolsUnderTest } from './under-test.ts';

afterEach(() => void vi.restoreAllMocks());

it('a long search lets other work run between its files', async () => {
  await using tools = await toolsUnderTest();
  for (let index = 0; index < 20; index++) await writeFile(join(tools.workspace, `${index}`), 'banana');
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 11;
    return now;
  });
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  const found = await tools.output('search_files', { pattern: 'banana' });
  clearImmediate(next);
  expect(found).toMatchObject({ count: 20 });
  expect(turns).toBeGreaterThan(10);
});

it('searches a large file in pieces, and finds text across their boundaries', async () => {
  await using tools = await toolsUnderTest();
  const boundary = 64 * 1024;
  const across = `é${'x'.repeat(boundary - 6)}NEEDLE${'x'.repeat(6_000_000)}`;
  await writeFile(join(tools.workspace, 'large'), `${across}\nsecond thread`);
  expect(await tools.output('search_files', { pattern: 'needle' })).toMatchObject({
    count: 1,
    matches: [{ path: 'large', line: 1, text: expect.stringMatching(/^éxxx/) }],
  });
  expect(await tools.output('search_files', { pattern: 'thread' })).toMatchObject({
    matches: [{ path: 'large', line: 2, text: 'second thread' }],
  });
  const whole = await tools.output('read_file', { path: 'large' });
  expect(whole.note).toContain('search_files finds text in it');
});

it('reports every line of a file once, with or without a line feed at its end', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'a'), 'banana\n\nbanana ban\nana\nBanana');
  await writeFile(join(tools.workspace, 'b'), 'banana\n');
  const { matches } = await tools.output('search_files', { pattern: 'banana' });
  expect(matches).toEqual([
    { path: 'a', line: 1, text: 'banana' },
    { path: 'a', line: 3, text: 'banana ban' },
    { path: 'a', line: 5, text: 'Banana' },
    { path: 'b', line: 1, text: 'banana' },
  ]);
});
