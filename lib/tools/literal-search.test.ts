import { mkdir, writeFile } from 'node:fs/promises';
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
    matches: [{ path: 'large', line: 1, text: expect.stringMatching(/^\[…\] x{60}NEEDLEx+ \[…\]$/) }],
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

it('says that a folder with too many entries was searched in part', async () => {
  await using tools = await toolsUnderTest();
  await mkdir(join(tools.workspace, 'many'));
  for (let at = 0; at <= 5000; at += 500) {
    const names = Array.from({ length: Math.min(500, 5001 - at) }, (_, index) => `many/${at + index}`);
    await Promise.all(names.map((name) => writeFile(join(tools.workspace, name), '')));
  }
  const result = await tools.call('search_files', { pattern: 'banana' });
  expect(result).toMatchObject({
    truncated: true,
    output: { count: 0, note: expect.stringContaining('more than 5000 entries') },
  });
  expect(result.output).not.toMatchObject({ note: expect.stringContaining('first 0 matches') });
});

it('says that folders were too deep to be searched', async () => {
  await using tools = await toolsUnderTest();
  const deep = 'd/'.repeat(30);
  await tools.output('write_file', { path: `${deep}file`, content: 'banana' });
  expect(await tools.call('search_files', { pattern: 'banana' })).toMatchObject({
    truncated: true,
    output: { count: 0, note: expect.stringContaining('deeper than 30') },
  });
  expect(await tools.output('search_files', { pattern: 'banana', path: deep })).toMatchObject({ count: 1 });
});

it.runIf(process.platform === 'linux')(
  'says that it cannot search files and folders whose names are not UTF-8',
  async () => {
    await using tools = await toolsUnderTest();
    const search = () => tools.output('search_files', { pattern: 'banana' });
    await writeFile(join(tools.workspace, 'replaced \uFFFD'), 'banana');
    expect(await search()).toMatchObject({ count: 1, note: expect.not.stringContaining('UTF-8') });
    await writeFile(Buffer.from(`${tools.workspace}/caf\xe9.txt`, 'latin1'), 'banana');
    expect(await search()).toMatchObject({
      count: 1,
      note: expect.stringContaining('whose names are not UTF-8 were not searched'),
    });
  },
);

it('says that its time was up', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'a'), 'banana');
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 11_000;
    return now;
  });
  expect(await tools.call('search_files', { pattern: 'banana' })).toMatchObject({
    truncated: true,
    output: { count: 0, note: expect.stringMatching(/stopped after 10 s\. Not everything was searched\.$/) },
  });
});

it('shows the part of a long line that has the match, and marks where it is cut', async () => {
  await using tools = await toolsUnderTest();
  const long = (count: number) => 'x'.repeat(count);
  const lines = [
    'banana',
    `${long(500)}banana`,
    `${long(200_000)}Banana${long(2000)}`,
    `  banana${long(600)}`,
  ];
  await writeFile(join(tools.workspace, 'a'), lines.join('\n'));
  expect(await tools.call('search_files', { pattern: 'banana' })).toMatchObject({
    truncated: true,
    output: {
      count: 4,
      note: expect.stringMatching(/Long lines are cut\.$/),
      matches: [
        { path: 'a', line: 1, text: 'banana' },
        { path: 'a', line: 2, text: `[…] ${long(60)}banana` },
        { path: 'a', line: 3, text: `[…] ${long(60)}Banana${long(334)} […]` },
        { path: 'a', line: 4, text: `banana${long(394)} […]` },
      ],
    },
  });
});

it('finds a match that begins in one piece of a file and ends in the next', async () => {
  await using tools = await toolsUnderTest();
  await writeFile(join(tools.workspace, 'a'), `${'x'.repeat(64 * 1024 - 3)}banana and more\n`);
  expect(await tools.output('search_files', { pattern: 'banana' })).toMatchObject({
    matches: [{ line: 1, text: `[…] ${'x'.repeat(60)}banana and more` }],
  });
});
