/**
 * Measures the tool-call parser: `node bench/parser.ts [chars]`.
 *
 * For each hostile group the time at n, 2n and 4n characters and the exponent with which it grows (1 is linear, 2
 * quadratic); throughput on ordinary replies beside one `JSON.parse` of the same call; precision and recall on the
 * look-alike table against a call in every format.
 */
import { parseToolCalls } from '../lib/parser/parse-tool-calls.ts';
import { LOOK_ALIKES } from '../lib/parser/testing/look-alikes.ts';
import { RENDERERS } from '../lib/parser/testing/renderers.ts';
import { TOOLS, tool } from '../lib/parser/testing/tools.ts';
import type { ToolCall } from '../lib/parser/types.ts';
import { HOSTILE, manyTools } from './parser/hostile.ts';

const DEFAULT_CHARS = 262_144;
const chars = Number(process.argv[2] ?? DEFAULT_CHARS);
const tools = [...TOOLS, tool('nested_tool', { data: { type: 'object' } })];

/** The shortest of some runs, in milliseconds: what disturbs a run only ever makes it longer. */
function fastest(run: () => void, runs = 3): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** Least-squares slope of log(time) over log(size) at sizes 1, 2 and 4. */
function exponent([one, two, four]: readonly [number, number, number]): number {
  const [a, b, c] = [Math.log2(one), Math.log2(two), Math.log2(four)];
  const mean = (a + b + c) / 3;
  return (-(a - mean) + (c - mean)) / 2;
}

const row = (cells: readonly string[]) =>
  console.info(cells.map((cell, i) => (i === 0 ? cell.padEnd(64) : cell.padStart(9))).join(' '));

function measureHostile(): void {
  row([`hostile groups, n = ${chars}`, 'n ms', '2n ms', '4n ms', 'exponent']);
  const growth: number[] = [];
  const groups = [
    ...HOSTILE.map((group) => ({ ...group, tools })),
    { ...manyTools, tools: manyTools.tools(2000) },
  ];
  for (const group of groups) {
    const timeAt = (size: number) => {
      const content = group.make(size);
      return fastest(() => parseToolCalls({ content }, { tools: group.tools }));
    };
    timeAt(chars / 4);
    const times = [timeAt(chars), timeAt(2 * chars), timeAt(4 * chars)] as const;
    growth.push(exponent(times));
    row([group.name.slice(0, 64), ...times.map((time) => time.toFixed(1)), exponent(times).toFixed(2)]);
  }
  const average = growth.reduce((sum, value) => sum + value, 0) / growth.length;
  console.info(
    `${growth.length} groups: exponent ${average.toFixed(2)} on average, ${Math.max(...growth).toFixed(2)} at most\n`,
  );
}

const SAMPLE_CALL: ToolCall = {
  name: 'write_file',
  arguments: {
    path: 'src/list.ts',
    content: 'export const list = [1, 2, 3];\nconsole.log("done");\n'.repeat(20),
  },
};
const PROSE =
  'I will write the file now, and then run the tests to see whether anything else depends on it.\n'.repeat(4);

function measureThroughput(): void {
  row(['ordinary replies of about 2 KB, 2000 each', 'ms', 'MB/s']);
  const json = JSON.stringify(SAMPLE_CALL);
  const measure = (name: string, size: number, run: () => void) => {
    const time = fastest(() => {
      for (let i = 0; i < 2000; i++) run();
    }, 5);
    row([name, time.toFixed(1), ((size * 2000) / 1e6 / (time / 1000)).toFixed(0)]);
  };
  measure('JSON.parse of the call alone', json.length, () => JSON.parse(json));
  for (const { format, render } of [
    RENDERERS[0],
    ...RENDERERS.filter(({ format }) => ['hermes', 'qwen3-coder', 'pythonic'].includes(format)),
  ]
    .slice(0, 5)
    .flatMap((r) => r ?? [])) {
    const content = `${PROSE}\n${render(SAMPLE_CALL)}`;
    measure(`parseToolCalls, ${format} amid prose`, content.length, () =>
      parseToolCalls({ content }, { tools }),
    );
  }
  const prose = PROSE.repeat(5);
  measure('parseToolCalls, prose alone', prose.length, () => parseToolCalls({ content: prose }, { tools }));
  console.info('');
}

function measureAccuracy(): void {
  const given: readonly ToolCall[] = [
    { name: 'read_file', arguments: { path: 'src/main.ts', start_line: 3 } },
    { name: 'search_files', arguments: { query: 'a "quoted" \\ word', case_sensitive: true } },
    { name: 'run_command', arguments: { command: "grep -n 'x' *.ts | head" } },
  ];
  const isCall = (content: string) => parseToolCalls({ content }, { tools }).type === 'tool_calls';
  const positives = RENDERERS.flatMap(({ render }) => given.map(render));
  const found = positives.filter(isCall).length;
  const wrong = LOOK_ALIKES.filter(({ content }) => isCall(content)).length;
  const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
  console.info(
    `look-alikes: ${LOOK_ALIKES.length} that are no call, ${wrong} taken for one; ${positives.length} calls, ${found} found`,
  );
  console.info(`precision ${percent(found, found + wrong)}, recall ${percent(found, positives.length)}`);
}

measureHostile();
measureThroughput();
measureAccuracy();
