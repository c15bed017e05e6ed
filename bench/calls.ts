import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_CONCURRENT_CALLS } from '../lib/engine/calls-ahead.ts';
import { openSandbox } from '../lib/sandbox/probe.ts';
import { createTaskTools } from '../lib/tools/registry.ts';
import type { JsonObject } from '../lib/util/json.ts';
import { quantile } from './quantile.ts';

// The gain from running independent calls of one reply concurrently: sequential and concurrent runs
// alternate, so that both meet the same load.
//   node bench/calls.ts [rounds]

const rounds = Number(process.argv[2] ?? 40);
const WARM_UP = 4;
const FILES = 400;
const LINES = 200;

const sandbox = await openSandbox();
const workspace = await realpath(await mkdtemp(join(tmpdir(), 'loupe-bench-')));
try {
  await mkdir(join(workspace, 'src'));
  for (let file = 0; file < FILES; file++) {
    const text = Array.from(
      { length: LINES },
      (_, line) => `Line ${line} of file ${file} holds some words.\n`,
    );
    await writeFile(join(workspace, 'src', `file-${file}.txt`), text.join(''));
  }
  const { execute } = createTaskTools({ workspace, sandbox });
  const call = async (name: string, args: JsonObject) => {
    const result = await execute({ name, arguments: args }, { signal: new AbortController().signal });
    if (!result.success) throw new Error(JSON.stringify(result.output));
  };
  const numbers = Array.from({ length: MAX_CONCURRENT_CALLS }, (_, number) => number);
  const kinds = {
    search_files: (n: number) => call('search_files', { pattern: `Line ${n} of file 3\\d holds` }),
    read_file: (n: number) => call('read_file', { path: `src/file-${n}.txt` }),
  };
  console.info(
    `${MAX_CONCURRENT_CALLS} calls of one reply, ${FILES} files, ${rounds} rounds, Node ${process.version}`,
  );
  for (const [name, begin] of Object.entries(kinds)) {
    const inTurn: number[] = [];
    const atOnce: number[] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      const startedAt = performance.now();
      for (const number of numbers) await begin(number);
      const between = performance.now();
      await Promise.all(numbers.map(begin));
      if (round < 0) continue;
      inTurn.push(between - startedAt);
      atOnce.push(performance.now() - between);
    }
    const [slow, fast] = [quantile(inTurn, 0.5), quantile(atOnce, 0.5)];
    console.info(
      `${name.padEnd(14)} one after another ${slow.toFixed(2)} ms, at once ${fast.toFixed(2)} ms: ratio ${(fast / slow).toFixed(2)}`,
    );
  }
} finally {
  await rm(workspace, { recursive: true, force: true });
}
