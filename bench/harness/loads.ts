// The calls that a model makes in benchmarks of whole runs, and how many runs they measure.

/** The model's replies before its answer. */
export interface Load {
  /** Tool calls in each reply. */
  calls: number;
  /** Every n-th reply writes instead of reading; 0 for never. */
  writesEvery: number;
  /** Pieces of text before the calls of a streamed reply. */
  deltas: number;
}

export const LOADS = {
  mixed: { calls: 1, writesEvery: 4, deltas: 0 },
  streamed: { calls: 1, writesEvery: 4, deltas: 40 },
  eightCalls: { calls: 8, writesEvery: 0, deltas: 0 },
  reads: { calls: 1, writesEvery: 0, deltas: 0 },
  writes: { calls: 1, writesEvery: 1, deltas: 0 },
} as const satisfies Record<string, Load>;
export type LoadName = keyof typeof LOADS;

export interface Case {
  title: string;
  iterations: number;
  /** Concurrent runs. */
  concurrency: number;
  /** Runs of 20 iterations before the first that counts, one after the other. */
  warmUps: number;
  repetitions: number;
}

export const CASES = {
  short: { title: '20 iterations', iterations: 20, concurrency: 1, warmUps: 12, repetitions: 7 },
  long: { title: '99 iterations', iterations: 99, concurrency: 1, warmUps: 8, repetitions: 3 },
  many: { title: '50 runs of 20 at once', iterations: 20, concurrency: 50, warmUps: 6, repetitions: 1 },
} as const satisfies Record<string, Case>;
export type CaseName = keyof typeof CASES;

export const WARM_UP_ITERATIONS = 20;
/** The size of each file that is read, in bytes. */
export const FILE_BYTES = 1024;
/** The length of the path of each file that is read, and of each text that is written. */
const ARGUMENT_CHARS = 200;

interface Call {
  name: 'read_file' | 'write_file';
  arguments: Record<string, string>;
}

/** The calls of a reply, counted from 0: never the same twice, as a repeated call ends a run. */
export function callsOf({ calls, writesEvery }: Load, iteration: number): Call[] {
  const writes = writesEvery > 0 && (iteration + 1) % writesEvery === 0;
  return Array.from(
    { length: calls },
    (_, call): Call =>
      writes
        ? {
            name: 'write_file',
            arguments: { path: `out/file-${iteration}-${call}.txt`, content: 'w'.repeat(ARGUMENT_CHARS) },
          }
        : { name: 'read_file', arguments: { path: readPath(iteration, call) } },
  );
}

/** A path that a model asks for; it exists below 100 iterations and 8 calls. */
function readPath(iteration: number, call: number): string {
  return `src/folder-${iteration}/part-${call}/`.padEnd(ARGUMENT_CHARS, 'f');
}

/** The name of the model that replies with a load, unique per run. The fake parses it. */
export function modelName(load: LoadName, iterations: number, run: string): string {
  return `${load}-${iterations}:${run}`;
}

/** @throws {Error} for a name that `modelName` does not make */
export function readModelName(name: string): { load: Load; iterations: number } {
  const [, load = '', iterations] = /^(\w+)-(\d+):/.exec(name) ?? [];
  if (!Object.hasOwn(LOADS, load)) throw new Error(`There is no load for the model "${name}"`);
  return { load: LOADS[load as LoadName], iterations: Number(iterations) };
}
