import { z } from 'zod';
import type { AgreementGroup, AgreementReply } from '../api/comparison.ts';
import type { NewRun } from '../api/create-run.ts';
import type {
  ExperimentItem,
  ExperimentPlan,
  ExperimentReply,
  ExperimentSummary,
} from '../api/experiment.ts';
import type { Agreement } from '../compare/agreement.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import type { ErrorShape } from '../policies/rule.ts';
import type { ExperimentStore } from '../store/experiment-store.ts';
import { planRuns, requestOf } from './plan-runs.ts';
import { resultOfLog } from './result-row.ts';

/** The runs an experiment is made of, as far as it needs them. */
export interface RunsOfExperiment {
  /** Makes a run, or brings the one that was made with the same key. */
  start(request: NewRun, idempotencyKey: string): Promise<string>;
  stop(runId: string, options: { force: boolean }): Promise<unknown>;
  /** The whole log of a run, page by page. */
  log(runId: string): AsyncIterable<readonly RunEvent[]>;
  /** Up to where runs agree. @throws what the signal was fired with */
  agreement(runIds: readonly string[], signal: AbortSignal): Promise<Agreement>;
  /** Resolves when the run has ended, and when the signal fires. */
  ended(runId: string, signal: AbortSignal): Promise<void>;
}

/** Sees to it that an experiment is worked on by one process at a time. */
export interface ExperimentHolder {
  /** `false` when another process works on it. */
  hold(id: string): Promise<boolean>;
  /** `false` when it is no longer held: another process may have worked on it since. */
  keep(id: string): Promise<boolean>;
  release(id: string): Promise<void>;
}

/** One process alone holds everything. */
const ALONE: ExperimentHolder = {
  hold: async () => true,
  keep: async () => true,
  release: async () => undefined,
};

/** A failure that would meet every further run as well: the experiment waits for a person. */
const HALTING = new Set(['storage_full', 'shutting_down', 'store_lost', 'store_busy']);

/** Bounds what one look at an experiment reads. */
const MAX_COMPARED_RUNS = 20;
const MAX_COMPARED_GROUPS = 10;

interface Open {
  summary: ExperimentSummary;
  items: ExperimentItem[];
  /** Fires when another process has taken it up. */
  gone: AbortController;
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
  readonly #holder: ExperimentHolder;
  readonly #closing = new AbortController();
  /** Those that are to be worked on, in order; the first is in work. */
  readonly #open = new Map<string, Open>();
  #working: Promise<void> | undefined;

  constructor(options: {
    store: ExperimentStore;
    runs: RunsOfExperiment;
    newId: () => string;
    /** Where several processes share the store. */
    holder?: ExperimentHolder;
  }) {
    this.#holder = options.holder ?? ALONE;
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
    if (await this.#holder.hold(summary.id)) this.#take(opened({ summary, items }));
    return { experiment: summary, items };
  }

  /**
   * Takes up the experiments that the last process left, and that no other works on: also one that was stopped, for the
   * result of the run it had in hand.
   */
  async resume(): Promise<void> {
    const unfinished = await this.#store.unfinishedExperiments();
    // What was in work goes first, then the oldest.
    const inOrder = unfinished.toSorted(
      (a, b) => Number(b.status !== 'waiting') - Number(a.status !== 'waiting'),
    );
    for (const { id } of inOrder) {
      if (this.#open.has(id) || this.#closing.signal.aborted || !(await this.#holder.hold(id))) continue;
      const found = await this.#store.experiment(id);
      if (found) this.#take(opened(found));
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
   * Up to where the ended runs of the same model, options and seed agree: the first 20 of each, of at most ten such
   * groups.
   *
   * @throws {AppError} `experiment_not_found`, `comparison_too_large`, `too_many_comparisons`
   */
  async agreement(id: string, signal: AbortSignal): Promise<AgreementReply> {
    const { items } = await this.get(id);
    const groups = new Map<string, { item: ExperimentItem; runs: { run_id: string; repeat: number }[] }>();
    for (const item of items) {
      if (item.status !== 'done' || item.run_id === undefined) continue;
      const key = JSON.stringify([item.model, item.options, item.seed ?? null]);
      const group = groups.get(key) ?? { item, runs: [] };
      if (group.runs.length < MAX_COMPARED_RUNS)
        group.runs.push({ run_id: item.run_id, repeat: item.repeat });
      groups.set(key, group);
    }
    const repeated = [...groups.values()].filter(({ runs }) => runs.length > 1).slice(0, MAX_COMPARED_GROUPS);
    const found: AgreementGroup[] = [];
    for (const { item, runs } of repeated) {
      const { model, options, seed } = item;
      found.push({
        model,
        options,
        ...(seed === undefined ? {} : { seed }),
        runs,
        agreement: await this.#runs.agreement(
          runs.map(({ run_id }) => run_id),
          signal,
        ),
      });
    }
    return { groups: found };
  }

  /**
   * Makes no further run. The one in hand goes on to its end, or is stopped at once with `force`. An experiment that has
   * ended stays as it is.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_elsewhere`
   */
  async stop(id: string, { force }: { force: boolean }): Promise<ExperimentReply> {
    const open = await this.#inHand(id);
    if (open) {
      await this.#save(open, { status: 'stopped' });
      const running = open.items.find((item) => item.status === 'running');
      if (running?.run_id && force) await this.#runs.stop(running.run_id, { force });
      if (!this.#open.has(id)) this.#take(open);
    }
    return this.get(id);
  }

  /**
   * Goes on with an experiment that was stopped.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_elsewhere`
   */
  async continue(id: string): Promise<ExperimentReply> {
    const { experiment, items } = await this.get(id);
    if (experiment.status !== 'stopped') return { experiment, items };
    const open = this.#open.get(id) ?? opened({ summary: experiment, items });
    if (!(await this.#holder.hold(id))) throw elsewhere(id);
    const inWork = this.#open.values().next().value === open;
    await this.#save(open, { status: inWork ? 'running' : 'waiting', problem: undefined });
    this.#take(open);
    return this.get(id);
  }

  /** Another process has taken an experiment up: nothing more is done or written for it here. */
  lose(id: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    open.gone.abort();
    this.#open.delete(id);
    console.warn(`Experiment ${id} was taken up by another process.`);
  }

  /** Stops working; what is unfinished goes on at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  /**
   * An unfinished experiment as it is worked on here; one that nobody works on is taken into hand. One in the hands of another
   * process is stopped there.
   */
  async #inHand(id: string): Promise<Open | undefined> {
    const here = this.#open.get(id);
    if (here && (await this.#keeps(here))) return here;
    if (!isUnfinished((await this.get(id)).experiment)) return undefined;
    if (!(await this.#holder.hold(id))) throw elsewhere(id);
    // Read again: who held it before may have gone on until now.
    const { experiment, items } = await this.get(id);
    if (isUnfinished(experiment)) return opened({ summary: experiment, items });
    await this.#holder.release(id);
    return undefined;
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
        const item = open.items[position - 1];
        if (!item || item.status === 'done' || item.status === 'failed') continue;
        if (this.#isOver(open) || !(await this.#keeps(open))) return;
        // A run in hand is seen to its end also when the experiment was stopped.
        if (open.summary.status !== 'running' && item.status === 'waiting') break;
        await this.#workOn(open, item);
      }
      const finished = open.items.every(({ status }) => status === 'done' || status === 'failed');
      if (finished && !this.#isOver(open)) await this.#save(open, { status: 'finished' });
    } catch (error) {
      if (this.#isOver(open)) return;
      await this.#save(open, { status: 'stopped', problem: problemOf(error) });
      throw error;
    } finally {
      if (!open.gone.signal.aborted) {
        this.#open.delete(id);
        await this.#holder.release(id);
      }
    }
  }

  #isOver({ gone }: Open): boolean {
    return this.#closing.signal.aborted || gone.signal.aborted;
  }

  /** Whether the experiment is still worked on here. Asked before each step: a process may have stood still since the last. */
  async #keeps(open: Open): Promise<boolean> {
    const { id } = open.summary;
    if (await this.#holder.keep(id)) return true;
    this.lose(id);
    return false;
  }

  async #workOn(open: Open, item: ExperimentItem): Promise<void> {
    const started = item.run_id === undefined ? await this.#start(open, item) : item;
    if (started?.run_id === undefined) return;
    await this.#runs.ended(started.run_id, AbortSignal.any([this.#closing.signal, open.gone.signal]));
    if (this.#isOver(open) || !(await this.#keeps(open))) return;
    const result = await resultOfLog(this.#runs.log(started.run_id));
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
        const problem = problemOf(error);
        if (!this.#closing.signal.aborted) await this.#save(open, { status: 'stopped', problem });
        return undefined;
      }
      await this.#save(open, {}, { ...item, status: 'failed', error: problemOf(error) });
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
      running: count('running'),
    };
    await this.#store.saveExperiment(open.summary, item ? [item] : []);
  }
}

function isUnfinished({ status }: ExperimentSummary): boolean {
  return status === 'running' || status === 'waiting';
}

/** What went wrong, as a person reads it. */
function problemOf(error: unknown): ErrorShape {
  if (!(error instanceof AppError)) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'internal_error', message: `The program made a mistake: ${why}` };
  }
  const { code, message, hint } = error;
  return { code, message, hint };
}

function opened({ summary, items }: Pick<Open, 'summary' | 'items'>): Open {
  return { summary, items, gone: new AbortController() };
}

function elsewhere(id: string): AppError {
  return new AppError({
    code: 'experiment_elsewhere',
    message: `Experiment ${id} is worked on by another process of this database.`,
    hint: 'Stop or continue it there.',
  });
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
