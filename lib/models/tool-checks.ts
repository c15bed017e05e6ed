import type { SuiteReply } from '../api/suite.ts';
import {
  summarizeToolCheck,
  type ToolCheck,
  type ToolCheckProgress,
  type ToolCheckReply,
  type ToolChecksReply,
} from '../api/tool-check.ts';
import type { ToolCheckStep } from '../checks/check-step.ts';
import { suiteOfCheck } from '../checks/suite-of-check.ts';
import { isDemoModel } from '../demo/demo-scenarios.ts';
import { AppError } from '../errors/app-error.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { UseSlots } from '../queue/model-access.ts';
import { shownError } from '../runs/shown-error.ts';
import { fullName } from '../util/model-name.ts';
import type { ToolCheckFiles } from './tool-check-files.ts';

/** Asks a model for calls of tools. */
type CheckTools = (
  model: string,
  definitions: readonly ToolDefinition[],
  options: { signal: AbortSignal; onStep: (step: ToolCheckStep) => void },
) => Promise<Omit<ToolCheck, 'id' | 'server'>>;

interface Job {
  readonly progress: ToolCheckProgress;
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

interface ToolChecksOptions {
  files: ToolCheckFiles;
  slots: UseSlots;
  check: CheckTools;
  /** The accepted tools of an enabled server, or the custom ones. @throws {AppError} if there are none */
  toolsOf(server: string): Promise<readonly ToolDefinition[]>;
  createSuite(suite: unknown): Promise<SuiteReply>;
  newId(): string;
  clock?: () => number;
}

/** Runs checks of servers' tools one at a time, queued with the runs. Progress lives in this process. */
export class ToolChecks {
  readonly #options: ToolChecksOptions;
  #job: Job | undefined;

  constructor(options: ToolChecksOptions) {
    this.#options = options;
  }

  /** The current check, or the last one of this process, and the stored ones. */
  async list(): Promise<ToolChecksReply> {
    const checks = (await this.#options.files.summaries()).reverse();
    return { ...(this.#job && { current: this.#shown(this.#job) }), checks };
  }

  /**
   * Starts a check, or returns the one that already runs for this model and server.
   *
   * @throws {AppError} `check_under_way` if another check runs, `invalid_request` for a demo model, those of `toolsOf`
   */
  async start({ model, server }: { model: string; server: string }): Promise<ToolCheckProgress> {
    if (isDemoModel(model)) {
      throw new AppError({
        code: 'invalid_request',
        message: `${model} is a script, not a language model: there is nothing to check.`,
      });
    }
    const definitions = await this.#options.toolsOf(server);
    const running = this.#job && this.#job.progress.ended_at === undefined ? this.#job : undefined;
    if (running) {
      const { progress } = running;
      if (progress.model === fullName(model) && progress.server === server) return this.#shown(running);
      throw new AppError({
        code: 'check_under_way',
        message: `${progress.model} is being checked with the tools of ${progress.server}.`,
        hint: 'One check runs at a time: wait, or stop that check.',
      });
    }
    const progress: ToolCheckProgress = {
      ...{ id: this.#options.newId(), server, model: fullName(model), status: 'waiting' },
      ...{ started_at: this.#now(), done: 0, total: 0, right: 0 },
    };
    const stop = new AbortController();
    this.#job = { progress, stop, over: this.#run(progress, definitions, stop.signal) };
    return this.#shown(this.#job);
  }

  /** Stops the check that runs; an earlier result is kept. @throws {AppError} `check_not_found` */
  async stop({ model, server }: { model: string; server: string }): Promise<ToolCheckProgress> {
    const job = this.#job;
    if (!job || job.progress.model !== fullName(model) || job.progress.server !== server) {
      throw notFound(`of ${model.slice(0, 80)} with ${server}`);
    }
    job.stop.abort();
    await job.over;
    return this.#shown(job);
  }

  /** A stored check with its evidence. @throws {AppError} `check_not_found` */
  async get(id: string): Promise<ToolCheckReply> {
    const check = await this.#options.files.get(id);
    if (!check) throw notFound(`"${id.slice(0, 80)}"`);
    return { check, summary: summarizeToolCheck(check) };
  }

  async remove(id: string): Promise<{ removed: string }> {
    await this.get(id);
    await this.#options.files.remove(id);
    return { removed: id };
  }

  /** Stores the requests of a check as a suite, with the expected calls. @throws {AppError} those of `Suites.create` */
  async keep(id: string, name?: string): Promise<SuiteReply> {
    const { check } = await this.get(id);
    return this.#options.createSuite(suiteOfCheck(check, name));
  }

  async close(): Promise<void> {
    this.#job?.stop.abort();
    await this.#job?.over;
  }

  #shown({ progress }: Pick<Job, 'progress'>): ToolCheckProgress {
    const waits = progress.status === 'waiting';
    const position = waits ? this.#options.slots.queuePosition(slotId(progress)) : undefined;
    return { ...progress, ...(position === undefined ? {} : { position }) };
  }

  async #run(
    progress: ToolCheckProgress,
    definitions: readonly ToolDefinition[],
    signal: AbortSignal,
  ): Promise<void> {
    const { model, id, server } = progress;
    const use = { id: slotId(progress), purpose: 'check' as const, model, signal };
    const onStep = (step: ToolCheckStep) => take(progress, step);
    try {
      const { slots, check, files } = this.#options;
      const checked = await slots.withSlot(use, (within) =>
        check(model, definitions, { signal: within, onStep }),
      );
      await files.save({ ...checked, id, server });
      progress.status = 'done';
    } catch (error) {
      progress.status = signal.aborted ? 'stopped' : 'failed';
      if (!signal.aborted) progress.error = shownError(error, { step: 'the model was being checked' });
    }
    progress.ended_at = this.#now();
  }

  #now(): number {
    return (this.#options.clock ?? Date.now)();
  }
}

function slotId({ id }: Pick<ToolCheckProgress, 'id'>): string {
  return `tool-check-${process.pid}-${id}`;
}

function take(progress: ToolCheckProgress, step: ToolCheckStep): void {
  if (step.type === 'loading') progress.status = 'loading';
  else if (step.type === 'probing') Object.assign(progress, { status: 'probing', total: step.total });
  else {
    progress.done += 1;
    if (step.probe.outcome === 'right') progress.right += 1;
  }
}

function notFound(what: string): AppError {
  return new AppError({
    code: 'check_not_found',
    message: `There is no check ${what}.`,
    hint: 'Start one with POST /api/tool-checks.',
  });
}
