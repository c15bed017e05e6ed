import { once } from 'node:events';
import { type Case, type LoadName, modelName, WARM_UP_ITERATIONS } from './loads.ts';

// The program of a process that starts runs and measures how long they take. Each measurement has a separate
// process.

/** What to measure; the parent passes it in LOUPE_BENCH_PLAN. */
export interface RunPlan {
  /** Part of each model's name, so that no two measurements share one. */
  id: string;
  load: LoadName;
  size: Case;
  fakeUrl: string;
  /** Only for runs of Loupe: its processes, which take turns. */
  loupe?: { urls: readonly string[]; token: string; request: object };
  /** Only for the loops that are compared with it. */
  loop?: 'fetch' | 'stream' | 'serialized-once';
}

/** The messages to the parent. It answers the first one with any message when the measurement may begin. */
export type RunReport = { kind: 'warm' } | { kind: 'done'; wallMs: number[] };

export function readPlan(): RunPlan {
  return JSON.parse(process.env.LOUPE_BENCH_PLAN ?? '');
}

/** Runs the plan and reports to the parent. `run` returns how many tool calls a run of this model made. */
export async function reportRuns(
  { id, load, size }: RunPlan,
  run: (model: string, index: number) => Promise<void>,
): Promise<void> {
  const { iterations, concurrency, warmUps, repetitions } = size;
  for (let index = 0; index < warmUps; index += 1) {
    await run(modelName(load, Math.min(iterations, WARM_UP_ITERATIONS), `${id}-w${index}`), index);
  }
  report({ kind: 'warm' });
  await once(process, 'message');
  const wallMs: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const from = performance.now();
    await Promise.all(
      Array.from({ length: concurrency }, (_, index) =>
        run(modelName(load, iterations, `${id}-r${repetition}-${index}`), index),
      ),
    );
    wallMs.push(performance.now() - from);
  }
  report({ kind: 'done', wallMs });
  await once(process, 'disconnect');
  process.exit(0);
}

function report(message: RunReport): void {
  process.send?.(message);
}
