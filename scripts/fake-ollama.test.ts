import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it.each([
  [[], 'Name a scenario file.'],
  [['--bogus', 'play.json'], 'There is no option --bogus.'],
  [['play.json', '--port'], '--port needs a value.'],
])('%j is answered with the problem and the usage', (args, problem) => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'fake-ollama.ts'), ...args],
    { encoding: 'utf8' },
  );
  expect(status).toBe(2);
  expect(stderr.split('\n')).toEqual([problem, expect.stringMatching(/^Usage: npm run fake -- FILE/), '']);
});
