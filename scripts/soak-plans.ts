import { setTimeout as delay } from 'node:timers/promises';
import type { BenchmarkCasesReply, BenchmarkReply } from '../lib/api/benchmark.ts';
import type { ExperimentReply } from '../lib/api/experiment.ts';
import type { RunListReply } from '../lib/api/replies.ts';
import type { ScenarioInput } from '../lib/demo/scenario.ts';
import { writeBenchmarkFolder } from '../lib/testing/benchmark-folder.ts';
import { errorMessage } from '../lib/util/error-message.ts';
import type { SoakServers } from './soak-servers.ts';

/** The model of all experiments and benchmarks: a call, then an answer. */
export const PLANNED_SCENARIO: ScenarioInput = {
  name: 'soak-plans',
  pace: { prompt_ms: 50 },
  steps: [
    { reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'notes.md', content: 'x' } }] } },
    { reply: { content: 'The work is completed.' } },
  ],
};
const REPEATS = 4;

/** Experiments and benchmarks that run one after another, beside the runs of a soak test, and must all finish. */
export class SoakPlans {
  readonly #servers: SoakServers;
  readonly #folder: string;
  #begun = 0;
  #over = false;
  readonly finished = { experiments: 0, benchmarks: 0 };
  /** Descriptions of unexpected events. */
  readonly problems: string[] = [];

  constructor(servers: SoakServers, root: string) {
    this.#servers = servers;
    this.#folder = writeBenchmarkFolder(root, ['hall', 'attic', 'cellar']);
  }

  /** Works until `end` was called and what had begun is finished. */
  async work(): Promise<void> {
    await Promise.all([this.#repeat(() => this.#experiment()), this.#repeat(() => this.#benchmark())]);
  }

  /** Begins nothing more. */
  end(): void {
    this.#over = true;
  }

  async #repeat(once: () => Promise<void>): Promise<void> {
    try {
      while (!this.#over) await once();
    } catch (error) {
      this.problems.push(errorMessage(error));
    }
  }

  async #experiment(): Promise<void> {
    const plan = {
      name: 'Soak',
      mode: 'task',
      task: 'Write',
      models: [PLANNED_SCENARIO.name],
      repeats: REPEATS,
    };
    const { experiment } = await this.#post<ExperimentReply>('/api/experiments', plan);
    const path = `/api/experiments/${experiment.id}`;
    const { items } = await this.#untilFinished<ExperimentReply>(
      path,
      ({ experiment: { status, problem } }) => {
        if (status === 'stopped') throw new RangeError(`${path} stopped: ${problem?.message}`);
        return status;
      },
    );
    const runs = items.flatMap(({ run_id: id }) => id ?? []);
    if (items.some(({ status }) => status !== 'done')) this.problems.push(`${path}: an item is not done`);
    if (new Set(runs).size !== REPEATS) this.problems.push(`${path}: ${runs.length} different runs`);
    const listed = await this.#get<RunListReply>(`/api/runs?limit=100&family=${experiment.id}`);
    if (listed.runs.length !== REPEATS) this.problems.push(`${path}: ${listed.runs.length} runs in its list`);
    this.finished.experiments += 1;
  }

  async #benchmark(): Promise<void> {
    const plan = { folder: this.#folder, models: [PLANNED_SCENARIO.name] };
    const { benchmark } = await this.#post<BenchmarkReply>('/api/benchmarks', plan);
    const path = `/api/benchmarks/${benchmark.id}`;
    const reply = await this.#untilFinished<BenchmarkReply>(path, (current) => current.benchmark.status);
    const { cases } = await this.#get<BenchmarkCasesReply>(`${path}/cases?limit=100`);
    const positions = new Set(cases.map(({ position }) => position));
    if (positions.size !== reply.benchmark.total) this.problems.push(`${path}: ${positions.size} results`);
    this.finished.benchmarks += 1;
  }

  /** Polls what was begun. Work that errors of the model server stopped is continued. */
  async #untilFinished<T>(path: string, statusOf: (reply: T) => string): Promise<T> {
    for (;;) {
      const reply = await this.#get<T>(path);
      const status = statusOf(reply);
      if (status === 'finished') return reply;
      if (status === 'stopped') await this.#post(`${path}/continue`, {});
      await delay(500);
    }
  }

  /** Repeats a request with one key until a response arrives, as a script would. */
  #post<T>(path: string, json: unknown): Promise<T> {
    this.#begun += 1;
    return this.#ask<T>(path, { json, headers: { 'idempotency-key': `soak-plan-${this.#begun}` } });
  }

  #get<T>(path: string): Promise<T> {
    return this.#ask<T>(path, {});
  }

  async #ask<T>(
    path: string,
    options: Parameters<ReturnType<SoakServers['next']>['request']>[1],
  ): Promise<T> {
    for (;;) {
      try {
        const answer = await this.#servers.next().request(path, options);
        if (answer.ok) return (await answer.json()) as T;
        // A model server that is down is no reason to refuse, and another process may hold what is continued.
        if (answer.status < 500 && answer.status !== 409) {
          throw new RangeError(`${path} was refused: ${await answer.text()}`);
        }
      } catch (error) {
        if (error instanceof RangeError) throw error;
        // The server is expected to be down at times.
      }
      await delay(200);
    }
  }
}
