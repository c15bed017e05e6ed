import { z } from 'zod';
import type { NewRun } from '../api/create-run.ts';
import type {
  ExperimentItem,
  ExperimentPlan,
  ExperimentReply,
  ExperimentSummary,
} from '../api/experiment.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import type { ExperimentStore } from './experiment-store.ts';
import { planRuns, requestOf } from './plan-runs.ts';
import { resultOfLog } from './result-row.ts';

/** The runs an experiment is made of, as far as it needs them. */
export interface RunsOfExperiment {
  /** Makes a run, or brings the one that was made with the same key. */
  start(request: NewRun, idempotencyKey: string): Promise<string>;
  stop(runId: string, options: { force: boolean }): Promise<unknown>;
  /** The whole log of a run. */
  events(runId: string): Promise<RunEvent[]>;
  /** Resolves when the run has ended, and when the signal fires. */
  ended(runId: string, signal: AbortSignal): Promise<void>;
}

/** A failure that would meet every further run as well: the experiment waits for a person. */
const HALTING = new Set(['storage_full', 'shutting_down', 'store_lost', 'store_busy']);

interface Open {
  summary: ExperimentSummary;
  items: ExperimentItem[];
}

/**
 * Works experiments off, one after another and run by run, in an order that loads each model as seldom as possible. Every
 * step is stored before the next, and runs are made under keys of their own: after a restart an experiment goes on where
 * it was, and no run is made twice.
 */
export class Experiments {
  readonly #store: ExperimentStore;
  readonly #runs: RunsOfExperiment;
  readonly #newId: () => string;
  readonly #closing = new AbortController();
  /** Those that are to be worked on, in order; the first is in work. */
  readonly #open = new Map<string, Open>();
  #working: Promise<void> | undefined;

  constructor(options: { store: ExperimentStore; runs: RunsOfExperiment; newId: () => string }) {
    this.#store = options.store;
    this.#runs = options.runs;
    this.#newId = options.newId;
  }

  /**
   * Plans an experiment and begins to work on it.
   *
   * @throws {AppError} `invalid_request` when its settings do not fit its mode, or for too many runs
   */
  async create(plan: ExperimentPlan): Promise<ExperimentReply> {
    const items = planRuns(plan);
    for (const item of items) checkRequest(plan, item);
    const at = Date.now();
    const summary: ExperimentSummary = {
      id: this.#newId(),
      name: plan.name,
      mode: plan.mode,
      status: 'waiting',
      created_at: at,
      updated_at: at,
      total: items.length,
      done: 0,
      failed: 0,
      plan,
    };
    await this.#store.saveExperiment(summary, items);
    this.#take({ summary, items });
    return { experiment: summary, items };
  }

  /** Takes up the experiments that the last process left. */
  async resume(): Promise<void> {
    const unfinished = (await this.#store.experiments())
      .filter(({ status }) => status === 'running' || status === 'waiting')
      // What was in work goes first, then the oldest.
      .sort(
        (a, b) =>
          Number(b.status === 'running') - Number(a.status === 'running') || a.created_at - b.created_at,
      );
    for (const { id } of unfinished) {
      const found = await this.#store.experiment(id);
      if (found) this.#take(found);
    }
  }

  async list(): Promise<ExperimentSummary[]> {
    const stored = await this.#store.experiments();
    return stored.map((summary) => this.#open.get(summary.id)?.summary ?? summary);
  }

  /** @throws {AppError} `experiment_not_found` */
  async get(id: string): Promise<ExperimentReply> {
    const open = this.#open.get(id) ?? (await this.#store.experiment(id));
    if (!open) {
      throw new AppError({
        code: 'experiment_not_found',
        message: `There is no experiment "${id.slice(0, 100)}".`,
        hint: 'GET /api/experiments lists the experiments.',
      });
    }
    return { experiment: open.summary, items: [...open.items] };
  }

  /**
   * Makes no further run. The one in hand goes on to its end, or is stopped at once with `force`. An experiment that has
   * ended stays as it is.
   *
   * @throws {AppError} `experiment_not_found`
   */
  async stop(id: string, { force }: { force: boolean }): Promise<ExperimentReply> {
    const open = this.#open.get(id);
    if (open) {
      await this.#save(open, { status: 'stopped' });
      const running = open.items.find((item) => item.status === 'running');
      if (running?.run_id && force) await this.#runs.stop(running.run_id, { force });
    }
    return this.get(id);
  }

  /**
   * Goes on with an experiment that was stopped.
   *
   * @throws {AppError} `experiment_not_found`
   */
  async continue(id: string): Promise<ExperimentReply> {
    const { experiment, items } = await this.get(id);
    if (experiment.status !== 'stopped') return { experiment, items };
    const open = this.#open.get(id) ?? { summary: experiment, items };
    const inWork = this.#open.values().next().value === open;
    await this.#save(open, { status: inWork ? 'running' : 'waiting' });
    this.#take(open);
    return this.get(id);
  }

  /** Stops working; what is unfinished goes on at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  #take(open: Open): void {
    this.#open.set(open.summary.id, open);
    this.#working ??= this.#work()
      .catch((error: unknown) => console.error('An experiment was lost:', error)) // runs and server go on
      .finally(() => {
        this.#working = undefined;
        const [next] = this.#open.values();
        if (next && !this.#closing.signal.aborted) this.#take(next);
      });
  }

  /** Works off the first open experiment, to its end or until it is stopped. */
  async #work(): Promise<void> {
    const [open] = this.#open.values();
    if (!open) return;
    const { id } = open.summary;
    try {
      if (open.summary.status === 'waiting') await this.#save(open, { status: 'running' });
      for (const { position } of open.items) {
        if (this.#closing.signal.aborted) return;
        const item = open.items[position - 1];
        if (!item || item.status === 'done' || item.status === 'failed') continue;
        // A run in hand is seen to its end also when the experiment was stopped.
        if (open.summary.status !== 'running' && item.status === 'waiting') break;
        await this.#workOn(open, item);
      }
      const finished = open.items.every(({ status }) => status === 'done' || status === 'failed');
      if (finished && !this.#closing.signal.aborted) await this.#save(open, { status: 'finished' });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      await this.#save(open, { status: 'stopped' });
      throw error;
    } finally {
      this.#open.delete(id);
    }
  }

  async #workOn(open: Open, item: ExperimentItem): Promise<void> {
    const started = item.run_id === undefined ? await this.#start(open, item) : item;
    if (started?.run_id === undefined) return;
    await this.#runs.ended(started.run_id, this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    const result = resultOfLog(await this.#runs.events(started.run_id));
    if (result) await this.#save(open, {}, { ...started, status: 'done', result });
  }

  /** Makes the run of an item; one that cannot be made is a failed item, and the others go on. */
  async #start(open: Open, item: ExperimentItem): Promise<ExperimentItem | undefined> {
    const { id, plan } = open.summary;
    try {
      const run_id = await this.#runs.start(requestOf(plan, item), `experiment:${id}:${item.position}`);
      const running: ExperimentItem = { ...item, run_id, status: 'running' };
      await this.#save(open, {}, running);
      return running;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (HALTING.has(error.code)) {
        if (!this.#closing.signal.aborted) await this.#save(open, { status: 'stopped' });
        return undefined;
      }
      const { code, message, hint } = error;
      await this.#save(open, {}, { ...item, status: 'failed', error: { code, message, hint } });
      return undefined;
    }
  }

  async #save(open: Open, change: Partial<ExperimentSummary>, item?: ExperimentItem): Promise<void> {
    if (item) open.items[item.position - 1] = item;
    const count = (status: ExperimentItem['status']) =>
      open.items.filter((each) => each.status === status).length;
    open.summary = {
      ...open.summary,
      ...change,
      updated_at: Date.now(),
      done: count('done'),
      failed: count('failed'),
    };
    await this.#store.saveExperiment(open.summary, item ? [item] : []);
  }
}

/** Told before anything is stored, in the words of the request. */
function checkRequest(plan: ExperimentPlan, item: ExperimentItem): void {
  try {
    requestOf(plan, item);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const problems = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new AppError({
      code: 'invalid_request',
      message: problems.join(' '),
      hint: 'docs/api.md lists the fields.',
      cause: error,
    });
  }
}
