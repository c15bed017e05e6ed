/**
 * Measures the tool-call parser: `node bench/run.mjs parser`, or `node bench/parser.ts [chars]`.
 *
 * Times are CPU time. For each hostile group: the time at n, 2n and 4n characters, and the exponent with which it grows (1 is linear, 2
 * quadratic); throughput on ordinary replies compared with one `JSON.parse` of the same call; precision and recall on
 * the look-alike table against a call in every format. Ends with code 1 when an exponent stays above 1.2 or a call is
 * wrong.
 */
import { parseToolCalls } from '../lib/parser/parse-tool-calls.ts';
import { LOOK_ALIKES } from '../lib/parser/testing/look-alikes.ts';
import { RENDERERS } from '../lib/parser/testing/renderers.ts';
import { TOOLS, tool } from '../lib/parser/testing/tools.ts';
import type { ToolCall, ToolDefinition } from '../lib/parser/types.ts';
import { HOSTILE, manyTools } from './parser/hostile.ts';

const DEFAULT_CHARS = 262_144;
const chars = Number(process.argv[2] ?? DEFAULT_CHARS);
const tools = [...TOOLS, tool('nested_tool', { data: { type: 'object' } })];

const MAX_EXPONENT = 1.2;
/** Rounds of a group: a few for all, more while its exponent looks bad, since noise only ever adds time. */
const ROUNDS = { first: 3, most: 15 };
/** A measurement repeats its run until this many milliseconds have passed, so that short runs are measured too. */
const MIN_SPAN_MS = 4;

/** CPU time of this process in milliseconds. It advances only while the process runs, however busy the machine is. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The mean CPU time of a run in milliseconds, over as many runs as fill the span. */
function timeOf(run: () => void): number {
  const start = cpuMs();
  let runs = 0;
  do {
    run();
    runs++;
  } while (cpuMs() - start < MIN_SPAN_MS);
  return (cpuMs() - start) / runs;
}

/** Slope of log(time) over log(size) at sizes 1, 2 and 4: by least squares the middle one has no weight. */
function exponent([one, , four]: readonly [number, number, number]): number {
  return (Math.log2(four) - Math.log2(one)) / 2;
}

type Times = [number, number, number];

/**
 * The shortest time seen at each size. The sizes take turns, so that a slow spell of the machine meets all of them, and
 * a group whose exponent looks bad gets more turns.
 */
function growthOf(group: { make(chars: number): string; tools: readonly ToolDefinition[] }): Times {
  const texts = [1, 2, 4].map((factor) => group.make(factor * chars));
  const best: Times = [Infinity, Infinity, Infinity];
  for (let round = 0; round < ROUNDS.most; round++) {
    if (round >= ROUNDS.first && exponent(best) <= MAX_EXPONENT) break;
    for (const [size, content] of texts.entries()) {
      const time = timeOf(() => parseToolCalls({ content }, { tools: group.tools }));
      best[size] = Math.min(best[size] ?? Infinity, time);
    }
  }
  return best;
}

const row = (cells: readonly string[]) =>
  console.info(cells.map((cell, i) => (i === 0 ? cell.padEnd(64) : cell.padStart(9))).join(' '));

/** @returns whether every group grows about as its text does */
function measureHostile(): boolean {
  row([`hostile groups, n = ${chars}`, 'n ms', '2n ms', '4n ms', 'exponent']);
  const growth: { name: string; exponent: number }[] = [];
  let slowest = { name: '', ms: 0 };
  const groups = [
    ...HOSTILE.map((group) => ({ ...group, tools })),
    { ...manyTools, tools: manyTools.tools(2000) },
  ];
  for (const group of groups) {
    const times = growthOf(group);
    const slope = exponent(times);
    growth.push({ name: group.name, exponent: slope });
    if (times[0] > slowest.ms) slowest = { name: group.name, ms: times[0] };
    const flag = slope > MAX_EXPONENT ? ' !' : '';
    row([group.name.slice(0, 64), ...times.map((time) => time.toFixed(2)), slope.toFixed(2) + flag]);
  }
  const slopes = growth.map((group) => group.exponent).sort((a, b) => a - b);
  const steep = growth.filter((group) => group.exponent > MAX_EXPONENT);
  console.info(
    `${growth.length} groups: exponent ${(slopes[slopes.length >> 1] ?? 0).toFixed(2)} at the median, at most ${Math.max(...slopes).toFixed(2)}; ` +
      `${steep.length} above ${MAX_EXPONENT}${steep.map(({ name }) => `, ${name}`).join('')}`,
  );
  console.info(`slowest at n: ${slowest.ms.toFixed(1)} ms, ${slowest.name}\n`);
  return steep.length === 0;
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
const THROUGHPUT_FORMATS = ['json', 'fenced-json', 'hermes', 'mistral', 'harmony', 'qwen3-coder', 'pythonic'];

function measureThroughput(): void {
  row(['ordinary replies of about 2 KB', 'µs', 'MB/s', 'x JSON']);
  const json = JSON.stringify(SAMPLE_CALL);
  const samples = [
    { name: 'JSON.parse of the call alone', size: json.length, run: () => void JSON.parse(json) },
    ...THROUGHPUT_FORMATS.flatMap((format) => {
      const renderer = RENDERERS.find((candidate) => candidate.format === format);
      if (!renderer) throw new Error(`no renderer for ${format}`);
      const content = `${PROSE}\n${renderer.render(SAMPLE_CALL)}`;
      return { name: `parseToolCalls, ${format} amid prose`, ...reading(content) };
    }),
    { name: 'parseToolCalls, prose alone', ...reading(PROSE.repeat(5)) },
  ];
  const best = samples.map(() => Infinity);
  for (let round = 0; round < 20; round++) {
    for (const [i, { run }] of samples.entries()) best[i] = Math.min(best[i] ?? Infinity, timeOf(run));
  }
  const alone = best[0] ?? 1;
  for (const [i, { name, size }] of samples.entries()) {
    const ms = best[i] ?? 0;
    row([name, (ms * 1000).toFixed(1), (size / 1000 / ms).toFixed(0), (ms / alone).toFixed(1)]);
  }
  console.info('');
}

function reading(content: string): { size: number; run: () => void } {
  return { size: content.length, run: () => void parseToolCalls({ content }, { tools }) };
}

/** @returns whether no look-alike was taken for a call and no call was missed */
function measureAccuracy(): boolean {
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
  return wrong === 0 && found === positives.length;
}

const isLinear = measureHostile();
measureThroughput();
const isExact = measureAccuracy();
if (!isLinear || !isExact) process.exitCode = 1;
