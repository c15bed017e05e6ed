import type {
  CheckProgress,
  CheckReply,
  CheckSummary,
  InstalledCheck,
  ModelCheck,
} from '../api/model-check.ts';
import { PROBES_VERSION } from '../api/model-check.ts';
import type { InstalledModel } from '../api/replies.ts';
import { summarizeCheck } from '../api/summarize-check.ts';
import type { CheckStep } from '../checks/check-step.ts';
import { openProbes } from '../checks/probes.ts';
import { isDemoModel } from '../demo/demo-scenarios.ts';
import { AppError } from '../errors/app-error.ts';
import type { UseSlots } from '../queue/model-access.ts';
import { shownError } from '../runs/shown-error.ts';
import type { ModelStore } from '../store/model-store.ts';
import { fullName, isSameModel } from '../util/model-name.ts';

/** Checks in the history, more than anyone reads in one plot. */
const HISTORY_CHECKS = 200;

type CheckStore = Pick<ModelStore, 'saveModelCheck' | 'modelCheck' | 'checkHistory'>;

/** Runs a complete check of a model. */
export type CheckModel = (
  model: string,
  options: { signal: AbortSignal; onStep: (step: CheckStep) => void },
) => Promise<ModelCheck>;

interface Job {
  readonly id: string;
  readonly progress: CheckProgress;
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

/**
 * Runs model checks one at a time, queued with the runs. Progress lives in this process; results are stored by model
 * and digest (docs/decisions/0026).
 */
export class ModelChecks {
  readonly #store: CheckStore;
  readonly #slots: UseSlots;
  readonly #check: CheckModel;
  readonly #clock: () => number;
  #job: Job | undefined;
  #count = 0;

  constructor(options: {
    store: CheckStore;
    slots: UseSlots;
    check: CheckModel;
    clock?: () => number;
  }) {
    this.#store = options.store;
    this.#slots = options.slots;
    this.#check = options.check;
    this.#clock = options.clock ?? Date.now;
  }

  /** The current check, or the last one that ended in this process. */
  current(): CheckProgress | undefined {
    return this.#job && this.#shown(this.#job);
  }

  /**
   * Starts a check, or returns the one already running for this model.
   *
   * @throws {AppError} `check_under_way` if another model is being checked, `invalid_request` for a demo model
   */
  start(model: string): CheckProgress {
    if (isDemoModel(model)) {
      throw new AppError({
        code: 'invalid_request',
        message: `${model} is a script, not a language model: there is nothing to check.`,
      });
    }
    const running = this.#job && isOpen(this.#job.progress) ? this.#job : undefined;
    if (running) {
      if (isSameModel(running.progress.model, model)) return this.#shown(running);
      throw new AppError({
        code: 'check_under_way',
        message: `${running.progress.model} is being checked.`,
        hint: 'One model is checked at a time: wait, or stop that check.',
      });
    }
    const progress: CheckProgress = {
      model: fullName(model),
      status: 'waiting',
      started_at: this.#clock(),
      probes: openProbes(),
    };
    const stop = new AbortController();
    this.#count += 1;
    const id = `check-${process.pid}-${this.#count}`;
    const job = { id, progress, stop, over: this.#run({ id, progress, signal: stop.signal }) };
    this.#job = job;
    return this.#shown(job);
  }

  /** Stops the check of a model; no effect if it has ended. @throws {AppError} `check_not_found` */
  async stop(model: string): Promise<CheckProgress> {
    const job = this.#job;
    if (!job || !isSameModel(job.progress.model, model)) throw notFound(model);
    job.stop.abort();
    await job.over;
    return this.#shown(job);
  }

  /** The stored check of a model, or of the given digest. @throws {AppError} `check_not_found` */
  async result(model: string, digest?: string): Promise<CheckReply> {
    const check = await this.#store.modelCheck(fullName(model), digest);
    if (!check) throw notFound(model);
    return { check, summary: summarizeCheck(check) };
  }

  /** The figures of the last finished checks, oldest first. */
  history(): Promise<CheckSummary[]> {
    return this.#store.checkHistory(HISTORY_CHECKS);
  }

  async close(): Promise<void> {
    this.#job?.stop.abort();
    await this.#job?.over;
  }

  #shown({ id, progress }: Pick<Job, 'id' | 'progress'>): CheckProgress {
    const position = progress.status === 'waiting' ? this.#slots.queuePosition(id) : undefined;
    return { ...structuredClone(progress), ...(position === undefined ? {} : { position }) };
  }

  async #run({
    id,
    progress,
    signal,
  }: {
    id: string;
    progress: CheckProgress;
    signal: AbortSignal;
  }): Promise<void> {
    const { model } = progress;
    try {
      const check = await this.#slots.withSlot({ id, purpose: 'check', model, signal }, (within) =>
        this.#check(model, { signal: within, onStep: (step) => take(progress, step) }),
      );
      await this.#store.saveModelCheck(check);
      progress.status = 'done';
    } catch (error) {
      progress.status = signal.aborted ? 'stopped' : 'failed';
      if (!signal.aborted) progress.error = shownError(error, { step: 'the model was being checked' });
      for (const probe of progress.probes) if (probe.status === 'running') probe.status = 'open';
    }
    progress.ended_at = this.#clock();
  }
}

/** Adds to each model its newest check, preferring one of the same digest; others are marked as outdated. */
export function withChecks(
  models: readonly InstalledModel[],
  checks: readonly Omit<InstalledCheck, 'outdated'>[],
): InstalledModel[] {
  const newest = [...checks].sort((a, b) => b.ended_at - a.ended_at);
  return models.map((model) => {
    if (model.demo) return model;
    const digest = model.digest ?? '';
    const name = fullName(model.name);
    // Two names with the same digest are the same model.
    const same = newest.find((check) => check.digest === digest && (digest !== '' || check.model === name));
    const check = same ?? newest.find((each) => each.model === name);
    if (!check) return model;
    const probes = check.probes_version === PROBES_VERSION ? undefined : ('probes' as const);
    const outdated = same ? probes : ('model' as const);
    return { ...model, check: { ...check, ...(outdated && { outdated }) } };
  });
}

function take(progress: CheckProgress, step: CheckStep): void {
  if (step.type === 'loading') {
    progress.status = 'loading';
    return;
  }
  progress.status = 'probing';
  const probe = progress.probes.find(({ id }) => id === step.id);
  if (!probe) return;
  if (step.type === 'probe-started') probe.status = 'running';
  else Object.assign(probe, { status: step.verdict, duration_ms: step.durationMs });
}

function isOpen({ status }: CheckProgress): boolean {
  return status === 'waiting' || status === 'loading' || status === 'probing';
}

function notFound(model: string): AppError {
  return new AppError({
    code: 'check_not_found',
    message: `There is no check of "${model.slice(0, 80)}".`,
    hint: 'Start one with POST /api/models/check.',
  });
}
