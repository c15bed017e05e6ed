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
