import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { DEFENCES, type Defence } from './defences.ts';

// `node scripts/break-defences.ts [--part 1/4] [word]`: takes each defence away once, in a copy of the last commit, and shows
// that its test goes red. With a word, only those whose text has it; with a part, only that share of them. What went red is
// remembered for the commit, so that parts add up; when all did, docs/defences.md is written.

const testReport = z.object({ numPassedTests: z.number() });

const root = resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({ options: { part: { type: 'string' } }, allowPositionals: true });
const [, part = 1, parts = 1] = /^(\d+)\/(\d+)$/.exec(values.part ?? '1/1')?.map(Number) ?? [];
const word = positionals[0]?.toLowerCase();
const chosen = DEFENCES.filter(
  (defence) => !word || JSON.stringify(defence).toLowerCase().includes(word),
).filter((_, index, { length }) => Math.floor((index * parts) / length) === part - 1);
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const memory = join(tmpdir(), `loupe-defences-${commit}.json`);
const seenRed = new Set(
  existsSync(memory) ? z.array(z.string()).parse(JSON.parse(readFileSync(memory, 'utf8'))) : [],
);
const copy = mkdtempSync(join(tmpdir(), 'loupe-defences-'));

execFileSync('sh', ['-c', 'git archive HEAD | tar -x -C "$1"', 'sh', copy], { cwd: root });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/**
 * Whether the test passes now. One that never ends does not, and neither does one that is skipped: without some of its
 * protections the sandbox is found wanting at the start, and commands are not offered at all.
 */
function passes({ test, title }: Pick<Defence, 'test' | 'title'>): boolean {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      `--project=${test.includes('.integration.') ? 'integration' : 'unit'}`,
      '--reporter=json',
      `--outputFile=${report}`,
      test,
      ...(title ? ['-t', title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')] : []),
    ],
    { cwd: copy, stdio: 'ignore', timeout: 180_000, killSignal: 'SIGKILL' },
  );
  if (status !== 0 || !existsSync(report)) return false;
  return testReport.parse(JSON.parse(readFileSync(report, 'utf8'))).numPassedTests > 0;
}

const sound = new Map<string, boolean>();
const failures: string[] = [];
for (const defence of chosen) {
  const key = `${defence.test} ${defence.title ?? ''}`;
  // Twice, as a busy machine can make a test late that is right.
  if (!sound.has(key)) sound.set(key, passes(defence) || passes(defence));
  const path = join(copy, defence.file);
  const text = readFileSync(path, 'utf8');
  let verdict = 'red';
  if (text.split(defence.find).length !== 2) verdict = 'NOT FOUND ONCE';
  else if (!sound.get(key)) verdict = 'NOT GREEN TO BEGIN WITH';
  else {
    writeFileSync(
      path,
      text.replace(defence.find, () => defence.replace),
    );
    if (passes(defence)) verdict = 'STILL GREEN';
    writeFileSync(path, text);
  }
  console.info(`${verdict.padEnd(8)} ${defence.threats.padEnd(7)} ${defence.does} (${defence.file})`);
  if (verdict !== 'red') failures.push(defence.does);
  else writeFileSync(memory, JSON.stringify([...seenRed.add(defence.does)]));
}
rmSync(copy, { recursive: true, force: true });

if (failures.length > 0) {
  console.error(`\n${failures.length} of ${chosen.length} defences are not shown by their test.`);
  process.exit(1);
}
console.info(`\n${chosen.length} defences taken away, ${chosen.length} times red.`);
if (DEFENCES.every(({ does }) => seenRed.has(does))) {
  const rows = DEFENCES.map(({ threats, does, file, test, title }) => {
    const shown = title ? `\`${test}\`, "${title.trim()}"` : `\`${test}\``;
    return `| ${threats} | ${does} | \`${file}\` | ${shown} | yes |`;
  });
  writeFileSync(
    join(root, 'docs', 'defences.md'),
    `# Each defence, and the test that goes red without it

Written by \`node scripts/break-defences.ts\`, which takes each defence of \`scripts/defences.ts\` away in a copy of the last commit and runs
its test. The first column has the number of the threat in [SECURITY.md](../SECURITY.md), or \`faults\` for the fault matrix.

| threat | defence | where | test | seen red without it |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`,
  );
}
