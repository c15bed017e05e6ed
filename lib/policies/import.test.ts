import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const lib = join(import.meta.dirname, '..');
const modulesOf = (folder: string) =>
  readdirSync(join(lib, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(lib, folder, name));

it('parser and guards can be imported without side effects [N13, G20]', () => {
  const modules = [...modulesOf('policies'), ...modulesOf('modes'), ...modulesOf('parser')];
  const code = `const modules = ${JSON.stringify(modules)};
    for (const module of modules) await import(module);
    console.log(process.getActiveResourcesInfo().filter((kind) => !/^(TTY|Pipe)/.test(kind)).length, modules.length);`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code],
    { encoding: 'utf8', timeout: 20_000 },
  );
  expect({ stderr, status, stdout: stdout.trim() }).toEqual({
    stderr: '',
    status: 0,
    stdout: `0 ${modules.length}`,
  });
});
