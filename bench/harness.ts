import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../lib/testing/postgres-server.ts';
import { keysOf } from '../lib/util/records.ts';
import { type Cost, costOf, type Subject } from './harness/cost.ts';
import { CASES, type CaseName } from './harness/loads.ts';
import { FakeProcess, median } from './harness/measure.ts';
import { ServerRoom } from './harness/measured-server.ts';

// Loupe's overhead per model call: whole runs, started over HTTP and followed over server-sent events to
// their end, compared with a bare fetch loop that stores nothing. Both talk in turn to a fake Ollama that
// answers immediately, and each measurement has separate processes. Needs a build of the dashboard.
//   npm run bench harness -- [--rounds 3] [--cases short,long,many] [--only 'mixed|postgres'] [--check]
// `--check` fails when the mixed load misses a target.

const BARS = {
  /** The wall time of a run, divided by that of the bare fetch loop. */
  ratio: { short: 2.0, long: 1.5, many: 2.0 } satisfies Record<CaseName, number>,
  growth: 1.1,
  storedKbPerIteration: 6,
  idleMb: 180,
  /** The peak with all runs, minus the idle server. */
  aboveIdleMb: 250,
};

const SUBJECTS: Readonly<Record<string, Subject & { title: string }>> = {
  mixed: { title: '3 reads, 1 write', load: 'mixed' },
  unstreamed: { title: 'the same, not streamed', load: 'mixed', settings: { live_tokens: false } },
  streamed: { title: 'the same, 40 pieces each', load: 'streamed' },
  calls: { title: '8 calls per reply', load: 'eightCalls' },
  writes: { title: 'only writes', load: 'writes' },
  postgres: { title: 'the first, PostgreSQL', load: 'mixed', usesPostgres: true },
  limit: { title: '(a loop on node:http)', load: 'mixed', loop: 'serialized-once' },
};

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    cases: { type: 'string', default: Object.keys(CASES).join(',') },
    only: { type: 'string', default: '' },
    check: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const caseNames = keysOf(CASES).filter((name) => options.cases.split(',').includes(name));
const hasPostgres = findPostgres() !== undefined;
const subjects = Object.entries(SUBJECTS).filter(
  ([name, { usesPostgres }]) => new RegExp(options.only).test(name) && (usesPostgres !== true || hasPostgres),
);
const canCheck = subjects.some(([name]) => name === 'mixed');
if (!(rounds >= 1) || caseNames.length === 0 || subjects.length === 0 || (options.check && !canCheck)) {
  console.error('Nothing to measure or to check. The options are listed at the top of bench/harness.ts.');
  process.exit(2);
}

interface Row {
  name: string;
  title: string;
  caseName: CaseName;
  costs: Cost[];
}

/** The median over the rounds; `undefined` when nothing was measured. */
function typical(costs: readonly Cost[], read: (cost: Cost) => number | undefined): number | undefined {
  const values = costs.map(read).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

async function measureAll(): Promise<Row[]> {
  using fake = await FakeProcess.start();
  using room = new ServerRoom();
  const needsPostgres = subjects.some(([, { usesPostgres }]) => usesPostgres);
  await using postgres = needsPostgres
    ? await startPostgres({ durable: true, env: room.fsyncs?.env })
    : undefined;
  if (!room.fsyncs) console.warn('NOT measured: fsyncs, which need Linux and a C compiler.');
  if (!hasPostgres) console.warn('NOT measured: PostgreSQL is not installed. apt-get install postgresql');
  const rows = caseNames.flatMap((caseName) =>
    subjects.map(([name, { title, ...subject }]) => ({
      name,
      title,
      caseName,
      subject,
      costs: [] as Cost[],
    })),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const { title, caseName, subject, costs } of rows) {
      try {
        const cost = await costOf({ fake, room, postgres }, subject, CASES[caseName], round);
        costs.push(cost);
        console.warn(`round ${round + 1}: ${title}, ${CASES[caseName].title}: ${cost.ratio.toFixed(2)}`);
      } catch (error) {
        console.error(`FAILED: ${title}, ${CASES[caseName].title}:`, error);
        process.exitCode = 1;
      }
    }
    console.warn(`round ${round + 1} of ${rounds}: load ${loadavg()[0]?.toFixed(1)}`);
  }
  return rows;
}

const COLUMNS: readonly [title: string, digits: number, read: (cost: Cost) => number | undefined][] = [
  ['ratio', 2, ({ ratio }) => ratio],
  ['ms', 2, ({ msPerIteration }) => msPerIteration],
  ['bare ms', 2, ({ msPerIteration, ratio }) => msPerIteration / ratio],
  ['CPU ms', 2, ({ cpuMsPerIteration }) => cpuMsPerIteration],
  ['fsyncs', 2, ({ fsyncsPerIteration }) => fsyncsPerIteration],
  ['KB stored', 1, ({ storedKbPerIteration }) => storedKbPerIteration],
];

function printTable(rows: readonly Row[]): void {
  console.info(
    `\n${rounds} rounds, Node ${process.version}. Per iteration: the wall time of a run, also where 50`,
  );
  console.info(
    'share it, and its ratio to the bare loop; what one run costs in CPU time, fsyncs and disk space.\n',
  );
  const line = (first: string, second: string, cells: readonly string[]) =>
    console.info(first.padEnd(24) + second.padEnd(22) + cells.map((cell) => cell.padStart(10)).join(''));
  const titles = COLUMNS.map(([title]) => title);
  line('load', 'case', titles);
  for (const { title, caseName, costs } of rows) {
    const cells = COLUMNS.map(([, digits, read]) => typical(costs, read)?.toFixed(digits) ?? '-');
    line(title, CASES[caseName].title, costs.length === 0 ? ['FAILED'] : cells);
  }
}

const growthOf = ({ ownMs }: Cost) => ownMs && ownMs.at99 / ownMs.at20;
const aboveIdle = ({ memory }: Cost) => memory && memory.peakMb - memory.idleMb;

function printGrowth(rows: readonly Row[]): void {
  const long = rows.filter(({ caseName, costs }) => caseName === 'long' && costs.length > 0);
  if (long.length > 0)
    console.info('\nfrom a reply to the next request, ms: iteration 20, iteration 99, growth');
  for (const { title, costs } of long) {
    const [at20, at99, growth, bareGrowth] = [
      typical(costs, ({ ownMs }) => ownMs?.at20),
      typical(costs, ({ ownMs }) => ownMs?.at99),
      typical(costs, growthOf),
      typical(costs, ({ bareOwnMs }) => bareOwnMs && bareOwnMs.at99 / bareOwnMs.at20),
    ].map((value) => value?.toFixed(2).padStart(8) ?? '-');
    console.info(`${title.padEnd(24)}${at20}${at99}${growth}   (the bare loop:${bareGrowth})`);
  }
}

function printMemory(rows: readonly Row[]): void {
  for (const { title, caseName, costs } of rows) {
    const [idle, above] = [typical(costs, ({ memory }) => memory?.idleMb), typical(costs, aboveIdle)];
    if (idle === undefined || above === undefined) continue;
    console.info(
      `\n${title}, ${CASES[caseName].title}: idle ${idle.toFixed(0)} MB, at most ${above.toFixed(0)} MB more`,
    );
  }
}

/** @returns whether everything measured for the mixed load is within its target */
function printBars(rows: readonly Row[]): boolean {
  const checks = rows
    .filter(({ name }) => name === 'mixed')
    .flatMap(({ caseName, costs }) => {
      const check = (what: string, bar: number, read: (cost: Cost) => number | undefined) => ({
        what: `${CASES[caseName].title}: ${what}`,
        bar,
        value: typical(costs, read),
      });
      return [
        check('ratio', BARS.ratio[caseName], ({ ratio }) => ratio),
        check('growth', BARS.growth, growthOf),
        check(
          'KB per iteration',
          BARS.storedKbPerIteration,
          ({ storedKbPerIteration }) => storedKbPerIteration,
        ),
        check('MB when idle', BARS.idleMb, ({ memory }) => memory?.idleMb),
        check('MB above idle', BARS.aboveIdleMb, aboveIdle),
      ];
    });
  console.info('');
  let isWithin = true;
  for (const { what, value, bar } of checks) {
    if (value === undefined) continue;
    const verdict = value <= bar ? 'within' : 'ABOVE';
    if (value > bar) isWithin = false;
    console.info(`${what.padEnd(44)}${value.toFixed(2).padStart(8)}   ${verdict} ${bar}`);
  }
  return isWithin;
}

const rows = await measureAll();
printTable(rows);
printGrowth(rows);
printMemory(rows);
if (!printBars(rows) && options.check) process.exitCode = 1;
