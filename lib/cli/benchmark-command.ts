import { setTimeout as delay } from 'node:timers/promises';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import type { Loupe } from '../client/loupe.ts';
import { throughRestart } from '../client/through-restart.ts';
import type { Command } from './arguments.ts';
import { benchmarkLines, benchmarkProgress } from './benchmark-lines.ts';
import { EXIT } from './exit-codes.ts';
import {
  asText,
  interruptible,
  jsonLine,
  progressReport,
  reconnecting,
  stopFailed,
  type Terminal,
  widthOf,
  write,
} from './terminal.ts';

/** Polling interval for the progress of a benchmark. */
const BENCHMARK_LOOK_MS = 2000;

/** Starts or continues a benchmark, reports its progress, and prints the table. */
export async function benchmark(
  { start, json }: Extract<Command, { name: 'benchmark' }>,
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  let now =
    'continued' in start
      ? await loupe.steerBenchmark(start.continued, 'continue')
      : // The server validates the fields and reports the invalid ones.
        await loupe.startBenchmark(start.body as Parameters<Loupe['startBenchmark']>[0], {
          onReconnect: reconnecting(terminal),
        });
  const { id } = now.benchmark;
  await write(stderr, `${plainVisibleLine(id)}\n${loupe.url}/benchmarks/${encodeURIComponent(id)}\n`);
  const interrupted = () => void loupe.steerBenchmark(id, 'stop').catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    const report = progressReport(terminal);
    while (now.benchmark.status === 'waiting' || now.benchmark.status === 'running') {
      await report([benchmarkProgress(now)]);
      await delay(BENCHMARK_LOOK_MS);
      now = await throughRestart(() => loupe.benchmark(id), reconnecting(terminal));
    }
    await write(stdout, asText(json ? [jsonLine(now)] : benchmarkLines(now, widthOf(terminal))));
    return now.benchmark.status === 'finished' ? EXIT.ok : EXIT.failed;
  });
}
