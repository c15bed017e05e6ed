import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { SeenRun } from './fake-ollama.ts';
import { readModelName } from './loads.ts';
import type { RunPlan, RunReport } from './timed-runs.ts';

/** The fake Ollama, in a separate process. */
export class FakeProcess implements Disposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<FakeProcess> {
    const child = fork(new URL('./fake-ollama.ts', import.meta.url));
    const [url] = await once(child, 'message');
    return new FakeProcess(child, String(url));
  }

  /** The runs since the last time, by model. */
  async takeRuns(): Promise<Map<string, SeenRun>> {
    this.#child.send('take');
    const [seen] = (await once(this.#child, 'message')) as [Record<string, SeenRun>];
    return new Map(Object.entries(seen));
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}

export interface Measured {
  /**
   * The median wall time of all runs of a repetition, divided by the iterations of one run, because concurrent runs
   * share the time.
   */
  msPerIteration: number;
  /** For the repetitions, without warm-ups. */
  runs: SeenRun[];
  /** For all runs, including warm-ups. */
  iterations: number;
}

const STARTERS = {
  'bare-loop': new URL('./bare-loop.ts', import.meta.url),
  'followed-runs': new URL('./followed-runs.ts', import.meta.url),
};

export interface MeasureOptions {
  fake: FakeProcess;
  /** The process that starts the runs. */
  by: keyof typeof STARTERS;
  plan: Omit<RunPlan, 'fakeUrl'>;
  /** Called between the warm-ups and what is measured. */
  onWarm?: () => void;
}

/** @throws {Error} when a run fails, or does not make exactly one model request per iteration plus one */
export async function measureRuns({ fake, by, plan, onWarm }: MeasureOptions): Promise<Measured> {
  await fake.takeRuns(); // processes of a failed measurement
  const child = fork(STARTERS[by], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOUPE_BENCH_PLAN: JSON.stringify({ ...plan, fakeUrl: fake.url } satisfies RunPlan),
    },
  });
  try {
    await next(child, 'warm');
    onWarm?.();
    child.send('go');
    const { wallMs } = await next(child, 'done');
    const seen = await fake.takeRuns();
    for (const [model, run] of seen) checkRequests(model, run);
    const { size, id } = plan;
    return {
      msPerIteration: median(wallMs) / size.iterations,
      runs: [...seen].filter(([model]) => model.includes(`:${id}-r`)).map(([, run]) => run),
      iterations: [...seen.values()].reduce((sum, { arrivedAt }) => sum + arrivedAt.length - 1, 0),
    };
  } finally {
    child.kill();
  }
}

/** @throws {Error} when the process ends, or reports something else */
async function next<Kind extends RunReport['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<RunReport, { kind: Kind }>> {
  const controller = new AbortController();
  const { signal } = controller;
  const [message] = await Promise.race([
    once(child, 'message', { signal }) as Promise<[Extract<RunReport, { kind: Kind }>]>,
    once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`The process that starts the runs ended with ${code}; its error is above`);
    }),
  ]).finally(() => controller.abort());
  if (message.kind !== kind) throw new Error(`Expected "${kind}", not "${message.kind}"`);
  return message;
}

function checkRequests(model: string, { arrivedAt, toolResults }: SeenRun): void {
  const { load, iterations } = readModelName(model);
  if (arrivedAt.length !== iterations + 1) {
    throw new Error(`"${model}" got ${arrivedAt.length} requests, not ${iterations + 1}`);
  }
  if (toolResults !== iterations * load.calls) {
    throw new Error(`The last request to "${model}" had ${toolResults} tool results`);
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Iterations that are grouped: each kind of reply of a load occurs equally often in every group. */
const WINDOW = 12;

/**
 * The milliseconds between a reply and the next request, around an iteration or up to the last: what the client does apart
 * from sending and waiting. The median over all runs at each iteration, so that a disturbed run does not count; then the mean.
 */
export function ownMs(runs: readonly SeenRun[], around: number): number {
  const gapCount = (runs[0]?.arrivedAt.length ?? 0) - 1;
  const from = Math.min(around - WINDOW / 2, gapCount - WINDOW);
  const gaps = Array.from({ length: WINDOW }, (_, index) =>
    median(
      runs.map(({ arrivedAt, answeredAt }) => {
        const answered = answeredAt[from + index] ?? Number.NaN;
        return (arrivedAt[from + index + 1] ?? Number.NaN) - answered;
      }),
    ),
  );
  return gaps.reduce((sum, gap) => sum + gap, 0) / WINDOW;
}
