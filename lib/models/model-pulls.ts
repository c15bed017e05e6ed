import { libraryModel, type ModelPull } from '../api/model-pull.ts';
import { AppError } from '../errors/app-error.ts';
import type { PullProgress } from '../model/ollama-pull.ts';
import { shownError } from '../runs/shown-error.ts';
import { isSameModel } from '../util/model-name.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';

/** Pulls a model; resolves when complete, rejects on failure. */
export type PullModel = (
  model: string,
  options: { signal: AbortSignal; onProgress: (progress: PullProgress) => void },
) => Promise<void>;

const MAX_AT_ONCE = 4;
/** Finished pulls that stay listed. */
const MAX_KEPT = 20;

interface Job {
  readonly pull: ModelPull;
  readonly parts: Map<string, { completed: number; total: number }>;
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

/**
 * Model pulls and their progress. Kept in memory only: Ollama keeps partial downloads, so a pull interrupted by a
 * restart continues when it is requested again.
 */
export class ModelPulls {
  readonly #pullModel: PullModel;
  readonly #clock: () => number;
  #jobs: Job[] = [];

  constructor(pullModel: PullModel, clock: () => number = Date.now) {
    this.#pullModel = pullModel;
    this.#clock = clock;
  }

  /** The newest first. */
  list(): ModelPull[] {
    return this.#jobs.map(({ pull }) => ({ ...pull })).reverse();
  }

  /**
   * Starts a pull, or returns the one already running for this model.
   *
   * @throws {AppError} `invalid_request` for a name outside Ollama's library, `too_many_pulls`
   */
  start(model: string): ModelPull {
    const name = libraryModel.safeParse(model, IN_WORDS);
    if (!name.success) {
      throw new AppError({
        code: 'invalid_request',
        message: `"${model.slice(0, 80)}" cannot be pulled. ${describeFieldProblems(name.error.issues, 'model')[0]}`,
        hint: 'Models from elsewhere can be pulled in a terminal: ollama pull NAME',
      });
    }
    const running = this.#jobs.filter(({ pull }) => pull.status === 'pulling');
    const known = running.find(({ pull }) => isSameModel(pull.model, model));
    if (known) return { ...known.pull };
    if (running.length >= MAX_AT_ONCE) {
      throw new AppError({
        code: 'too_many_pulls',
        message: `${MAX_AT_ONCE} models are already being pulled.`,
        hint: 'Wait for one of them, or cancel it.',
      });
    }
    const pull: ModelPull = { model, status: 'pulling', step: 'asking Ollama', started_at: this.#clock() };
    const stop = new AbortController();
    const parts: Job['parts'] = new Map();
    const over = this.#run(pull, parts, stop.signal);
    const others = this.#jobs.filter((job) => !isSameModel(job.pull.model, model));
    const ended = others.filter((job) => !running.includes(job));
    const dropped = ended.slice(0, -MAX_KEPT);
    this.#jobs = [...others.filter((job) => !dropped.includes(job)), { pull, parts, stop, over }];
    return { ...pull };
  }

  /** Cancels a pull; no effect if it has ended. @throws {AppError} `pull_not_found` */
  async cancel(model: string): Promise<ModelPull> {
    const job = this.#jobs.find(({ pull }) => isSameModel(pull.model, model));
    if (!job) {
      throw new AppError({
        code: 'pull_not_found',
        message: `"${model.slice(0, 80)}" is not being pulled.`,
      });
    }
    job.stop.abort();
    await job.over;
    return { ...job.pull };
  }

  /** Cancels all pulls. */
  async close(): Promise<void> {
    for (const { stop } of this.#jobs) stop.abort();
    await Promise.all(this.#jobs.map(({ over }) => over));
  }

  async #run(pull: ModelPull, parts: Job['parts'], signal: AbortSignal): Promise<void> {
    try {
      await this.#pullModel(pull.model, {
        signal,
        onProgress: ({ step, part, completedBytes, totalBytes }) => {
          pull.step = step;
          if (part === undefined || totalBytes === undefined) return;
          parts.set(part, { completed: completedBytes ?? 0, total: totalBytes });
          pull.completed_bytes = sum(parts, 'completed');
          pull.total_bytes = sum(parts, 'total');
        },
      });
      pull.status = 'done';
    } catch (error) {
      pull.status = signal.aborted ? 'cancelled' : 'failed';
      if (!signal.aborted)
        pull.error = shownError(error, {
          step: 'the model was being pulled',
          way: 'In a terminal: ollama pull NAME',
        });
    }
    pull.ended_at = this.#clock();
  }
}

function sum(parts: Job['parts'], field: 'completed' | 'total'): number {
  let bytes = 0;
  for (const part of parts.values()) bytes += part[field];
  return bytes;
}
