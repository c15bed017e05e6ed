import { parseArgs } from 'node:util';
import type { LoadName } from './harness/loads.ts';
import { FakeProcess, measureRuns, median, ownMs } from './harness/measure.ts';
import { ServerRoom } from './harness/measured-server.ts';

// What a slow disk costs: the same runs on the same server, alternating between normal fsyncs and fsyncs of 50 ms each.
// Only what must not happen before its intent is on disk may wait for it, so a run that only reads should not
// get slower between its start and its end. Needs a build of the dashboard, Linux and a C compiler.
//   npm run bench slow-disk -- [--rounds 3] [--ms 50]

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, ms: { type: 'string', default: '50' } },
});
const rounds = Number(options.rounds);
const slowMs = Number(options.ms);
/** The iterations of a run that only reads which may wait for the disk: a share of all. */
const MAY_WAIT = 0.1;
const WARM_UPS = 12;
const size = { title: '20 iterations', iterations: 20, concurrency: 1, warmUps: 0, repetitions: 2 };

interface Series {
  title: string;
  load: LoadName;
  /** Between a reply and the next request, per round: in the middle of the run, without its start and its end. */
  ownMs: { fast: number[]; slow: number[] };
  runMs: { fast: number[]; slow: number[] };
}

async function measureAll(room: ServerRoom, hook: NonNullable<ServerRoom['fsyncs']>): Promise<Series[]> {
  using fake = await FakeProcess.start();
  const server = await room.start(fake.url);
  const series: Series[] = [
    { title: 'only reads', load: 'reads', ownMs: { fast: [], slow: [] }, runMs: { fast: [], slow: [] } },
    { title: 'only writes', load: 'writes', ownMs: { fast: [], slow: [] }, runMs: { fast: [], slow: [] } },
  ];
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const { load, ownMs: own, runMs } of series) {
        for (const speed of round % 2 === 0 ? (['fast', 'slow'] as const) : (['slow', 'fast'] as const)) {
          const { msPerIteration, runs } = await measureRuns({
            fake,
            by: 'followed-runs',
            plan: {
              id: `${speed}${round}`,
              load,
              size: { ...size, warmUps: round === 0 && speed === 'fast' ? WARM_UPS : 0 },
              loupe: room.runsOf([server]),
            },
            onWarm: () => hook.delay(speed === 'slow' ? slowMs : 0),
          });
          hook.delay(0);
          own[speed].push(ownMs(runs, size.iterations / 2));
          runMs[speed].push(msPerIteration * size.iterations);
        }
      }
    }
  } finally {
    await server.dispose();
  }
  return series;
}

using room = new ServerRoom();
if (room.fsyncs) {
  const series = await measureAll(room, room.fsyncs);
  console.info(
    `${rounds} rounds; ms without the model, with normal fsyncs and with ${slowMs} ms per fsync\n`,
  );
  const line = (first: string, cells: readonly string[]) =>
    console.info(first.padEnd(14) + cells.map((cell) => cell.padStart(18)).join(''));
  line('', ['per iteration', 'slow disk', 'fsyncs waited for', 'run of 20', 'slow disk']);
  for (const { title, load, ownMs: own, runMs } of series) {
    const [fast, slow] = [median(own.fast), median(own.slow)];
    const waits = (slow - fast) / slowMs;
    const runs = [runMs.fast, runMs.slow].map((values) => median(values).toFixed(0));
    line(title, [fast.toFixed(1), slow.toFixed(1), waits.toFixed(2), ...runs]);
    if (load !== 'reads' || waits <= MAY_WAIT) continue;
    console.info(`${title}: ABOVE ${MAY_WAIT} fsyncs per iteration`);
    process.exitCode = 1;
  }
} else console.warn('NOT measured: it needs Linux and a C compiler, to slow the disk with.');
