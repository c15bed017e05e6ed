import type { AgreementGroup, AgreementReply } from '../api/comparison.ts';
import type { NewRun } from '../api/create-run.ts';
import type {
  DeletedExperimentReply,
  ExperimentItem,
  ExperimentPlan,
  ExperimentReply,
  ExperimentResult,
  ExperimentSummary,
  ExtendExperiment,
  ExtensionCountReply,
  NewExperiment,
  NotedItem,
  RunNote,
} from '../api/experiment.ts';
import { didRun, hasPassed } from '../api/result-outcome.ts';
import type { SuiteCase } from '../api/suite.ts';
import type { Agreement } from '../compare/agreement.ts';
import { AppError } from '../errors/app-error.ts';
import { DEFAULT_EXPERIMENT_MODE } from '../events/modes.ts';
import type { RunEvent } from '../events/registry.ts';
import type { ErrorShape } from '../policies/rule.ts';
import type { ExperimentStore } from '../store/experiment-store.ts';
import { firstCreated, type KeyUse, type RequestKey, requestKey } from '../store/request-key.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { errorMessage } from '../util/error-message.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import { sortedJson } from '../util/sorted-json.ts';
import {
  type CasesById,
  caseOf,
  checkedRequest,
  distinctRequests,
  requireConfirmation,
  requireEffectOnRuns,
} from './admission.ts';
import { itemsOfCell, verdictsOf } from './cells.ts';
import {
  chosenCases,
  type ExperimentCases,
  type FoundSuite,
  requireEffect,
  type SuiteReference,
} from './experiment-suite.ts';
import { extendPlan, newItems } from './extend-plan.ts';
import { planRuns } from './plan-runs.ts';
import { type ResultFacts, resultOfLog } from './result-row.ts';
import { didNotRun, waitingAgain } from './retry-items.ts';

/** The run operations that experiments need. */
export interface RunsOfExperiment {
  /** Rejects a request whose run could not start: for its model, folder, tools, checks or budget. @throws {AppError} */
  admit(request: NewRun): Promise<void>;
  /** Creates a run of a family, the experiment, or returns the one created with the same key. */
  start(
    request: NewRun,
    options: { idempotencyKey: string; family: string; files?: Readonly<Record<string, string>> },
  ): Promise<string>;
  stop(runId: string, options: { force: boolean }): Promise<unknown>;
  /** Deletes runs that have ended; all or none of them. @throws {AppError} `run_not_ended` */
  delete(runIds: readonly string[]): Promise<unknown>;
  /** The complete log of a run, in pages. */
  log(runId: string): AsyncIterable<readonly RunEvent[]>;
  /** How far runs agree. @throws the signal's reason */
  agreement(runIds: readonly string[], signal: AbortSignal): Promise<Agreement>;
  /** Resolves when the run has ended, and when the signal fires. */
  ended(runId: string, signal: AbortSignal): Promise<void>;
}

/** The suites that experiments can run. */
export interface SuitesOfExperiment {
  /** A version of a suite. @throws {AppError} `suite_not_found`, `suite_version_not_found` */
  find(reference: SuiteReference): Promise<FoundSuite>;
}

/** Ensures that only one process at a time works on an experiment. */
export interface ExperimentHolder {
  /** `false` if another process holds it, or it was deleted. */
  hold(id: string): Promise<boolean>;
  /** `false` if it is no longer held, in which case another process may have worked on it since. */
  keep(id: string): Promise<boolean>;
  release(id: string): Promise<void>;
}

/** A single process always holds every experiment. */
const ALONE: ExperimentHolder = {
  hold: async () => true,
  keep: async () => true,
  release: async () => undefined,
};

/** Errors that would affect every further run: the experiment stops until a person continues it. */
const HALTING = new Set(['storage_full', 'shutting_down', 'store_lost']);

/** Bounds the logs read for one agreement request. */
const MAX_RUNS_PER_GROUP = 20;
const MAX_AGREEMENT_GROUPS = 10;

/** Experiments that are kept in memory after they were read: their items can be thousands. */
const MAX_RECENT = 2;

type StoredExperiment = NonNullable<Awaited<ReturnType<ExperimentStore['experiment']>>>;

interface Open {
  summary: ExperimentSummary;
  items: ExperimentItem[];
  cases: CasesById;
  /** Aborted when another process takes over. */
  gone: AbortController;
  /** Set once an error ends the work on it: the items may be ahead of what is stored. */
  failed?: true;
  /** Set while a change is in memory only, because the store did not take it. */
  unsaved?: boolean;
  /** Set once it was stopped at once, until it continues: a run that was being created then is stopped as well. */
  isHalted?: boolean;
}

/**
 * Executes experiments one after another, run by run, in an order that minimizes model loads. Every step is stored
 * before the next, and each run has its own idempotency key, so after a restart an experiment resumes where it was
 * and no run is created twice.
 */
export class Experiments {
  readonly #store: ExperimentStore;
  readonly #runs: RunsOfExperiment;
  readonly #suites: SuitesOfExperiment;
  readonly #facts: ResultFacts;
  readonly #newId: () => string;
  readonly #holder: ExperimentHolder;
  readonly #closing = new AbortController();
  /** Open experiments in order; the first is being executed. */
  readonly #open = new Map<string, Open>();
  /** Experiments read lately, the latest last. */
  readonly #recent = new Map<string, StoredExperiment>();
  /** Serializes requests: each reads, stores and opens an experiment, and two of them must not interleave. */
  readonly #changes = new OneAtATime();
  #working: Promise<void> | undefined;

  constructor(options: {
    store: ExperimentStore;
    runs: RunsOfExperiment;
    suites: SuitesOfExperiment;
    /** Recorded with results: Loupe's version and the machine. */
    facts?: Pick<ResultFacts, 'loupe_version' | 'machine'>;
    newId: () => string;
    /** Required if several processes share the store. */
    holder?: ExperimentHolder;
  }) {
    this.#holder = options.holder ?? ALONE;
    this.#store = options.store;
    this.#runs = options.runs;
    this.#suites = options.suites;
    this.#facts = options.facts ?? {};
    this.#newId = options.newId;
  }

  /**
   * Plans an experiment and starts it. A repeated idempotency key returns the first one.
   *
   * @throws {AppError} `invalid_request` when its settings do not fit its mode, for too many runs, for many that are
   *   not confirmed, or for another number of them; `no_price` for a cost budget with an unpriced model;
   *   `suite_not_found`, `workspace_…` for the folder of a case, `checks_need_tools`, `remote_model`, `model_no_completion`, `idempotency_conflict`, `experiment_deleted`
   */
  async create(
    { confirm_runs: confirmed, ...asked }: NewExperiment,
    { idempotencyKey }: { idempotencyKey?: string | undefined } = {},
  ): Promise<ExperimentReply & { created: boolean }> {
    const key = requestKey(idempotencyKey, asked);
    // The first request was admitted: the suite or a model may be gone since.
    const before = key && (await this.#store.experimentOfKey(key.key));
    if (before) return this.#first(before, key);
    const { plan, suite, cases } = await this.#frozen(asked);
    const items = planRuns(plan, cases);
    requireConfirmation(items.length, confirmed);
    if (suite) requireEffect(plan, suite);
    const byId = casesById(cases);
    await this.#admit(plan, items, byId);
    await requireEffectOnRuns(plan, items, byId);
    const at = Date.now();
    const summary: ExperimentSummary = {
      id: this.#newId(),
      name: plan.name,
      mode: suite?.modes[0] ?? plan.mode ?? DEFAULT_EXPERIMENT_MODE,
      ...(suite ? { suite } : {}),
      status: 'waiting',
      created_at: at,
      updated_at: at,
      total: items.length,
      done: 0,
      failed: 0,
      plan,
    };
    const meanwhile = await this.#store.createExperiment({ summary, items, cases, key });
    if (key && meanwhile) return this.#first(meanwhile, key);
    if (await this.#holder.hold(summary.id)) this.#take(opened({ summary, items }, byId));
    return { experiment: summary, items, created: true };
  }

  /** @throws {AppError} `idempotency_conflict`, `experiment_deleted` */
  #first(first: KeyUse, key: RequestKey): Promise<ExperimentReply & { created: false }> {
    return firstCreated('experiment', { first, key, get: (id) => this.get(id) });
  }

  /** How many runs a plan has. Creates nothing. @throws {AppError} `invalid_request`, `suite_not_found` */
  async count({ confirm_runs: _, ...asked }: NewExperiment): Promise<number> {
    const { plan, suite, cases } = await this.#frozen(asked);
    if (suite) requireEffect(plan, suite);
    const items = planRuns(plan, cases);
    await requireEffectOnRuns(plan, items, casesById(cases));
    return items.length;
  }

  /**
   * Resumes unfinished experiments that no other process holds, including stopped ones whose last run still needs its
   * result.
   */
  async resume(): Promise<void> {
    const unfinished = await this.#store.unfinishedExperiments();
    // Experiments that had started come first, then the oldest.
    const inOrder = unfinished.toSorted(
      (a, b) => Number(b.status !== 'waiting') - Number(a.status !== 'waiting'),
    );
    for (const { id } of inOrder) await this.#changes.run(() => this.#resume(id));
  }

  async #resume(id: string): Promise<void> {
    if (this.#open.has(id) || this.#closing.signal.aborted || !(await this.#holder.hold(id))) return;
    try {
      const found = await this.#store.experiment(id);
      const cases = found?.summary.suite ? await this.#store.experimentCases(id) : [];
      if (found && cases) this.#take(opened(found, casesById(cases)));
    } finally {
      if (!this.#open.has(id)) await this.#holder.release(id);
    }
  }

  async list(): Promise<ExperimentSummary[]> {
    const stored = await this.#store.experiments();
    return stored.map((summary) => this.#open.get(summary.id)?.summary ?? summary);
  }

  /** An experiment with all of its items. @throws {AppError} `experiment_not_found` */
  async get(id: string): Promise<ExperimentReply> {
    const open = this.#open.get(id);
    if (open) return { experiment: open.summary, items: [...open.items] };
    const { summary, items } = await this.#read(id);
    return { experiment: summary, items };
  }

  /** An experiment with all of its items, and what people noted about their runs. @throws {AppError} `experiment_not_found` */
  async results(id: string): Promise<ExperimentReply> {
    const { experiment, items } = await this.get(id);
    return { experiment, items: await this.#noted(id, items) };
  }

  /**
   * The cases that an experiment runs, as they were when it was created; none without a suite.
   *
   * @throws {AppError} `experiment_not_found`
   */
  async cases(id: string): Promise<SuiteCase[]> {
    const open = this.#open.get(id);
    return [...(open?.cases ?? (await this.#casesOf((await this.get(id)).experiment))).values()];
  }

  /**
   * An experiment with some of its items: those after a position, of one cell, of one case, at most `limit`.
   *
   * @throws {AppError} `experiment_not_found`, `invalid_request` for a cell that does not exist
   */
  async page(
    id: string,
    {
      after = 0,
      limit,
      cell,
      case: caseId,
    }: { after?: number; limit?: number; cell?: number; case?: string },
  ): Promise<ExperimentReply> {
    if (limit === 0 && cell === undefined) return { experiment: await this.#summary(id), items: [] };
    const { experiment, items } = await this.get(id);
    const all = cell === undefined ? items : itemsOfCell(items, cell);
    const following = all.filter(
      (item) => item.position > after && (caseId === undefined || item.case === caseId),
    );
    return { experiment, items: await this.#noted(id, following.slice(0, limit ?? following.length)) };
  }

  /**
   * How far ended runs with the same model, settings, case and seed agree: the first 20 runs each, of at most ten groups.
   * Deleted runs are left out, and those without a verdict: stopped by a person, or not run (decision 53).
   *
   * @throws {AppError} `experiment_not_found`, `comparison_too_large`, `too_many_comparisons`
   */
  async agreement(id: string, signal: AbortSignal): Promise<AgreementReply> {
    const { items } = await this.get(id);
    const existing = new Set(await this.#store.experimentRuns(id));
    const groups = new Map<string, { item: ExperimentItem; runs: { run_id: string; repeat: number }[] }>();
    for (const item of items) {
      if (!item.result || hasPassed(item.result) === undefined) continue;
      if (item.run_id === undefined || !existing.has(item.run_id)) continue;
      const key = sortedJson([
        ...[item.model, item.options, item.factors ?? {}],
        ...[item.case ?? null, item.seed ?? null],
      ]);
      const group = groups.get(key) ?? { item, runs: [] };
      group.runs.push({ run_id: item.run_id, repeat: item.repeat });
      groups.set(key, group);
    }
    const repeated = [...groups.values()].filter(({ runs }) => runs.length > 1);
    const found: AgreementGroup[] = [];
    for (const { item, runs: all } of repeated.slice(0, MAX_AGREEMENT_GROUPS)) {
      const runs = all.slice(0, MAX_RUNS_PER_GROUP);
      const { model, options, factors, case: caseId, seed } = item;
      found.push({
        model,
        options,
        ...(factors === undefined ? {} : { factors }),
        ...(caseId === undefined ? {} : { case: caseId }),
        ...(seed === undefined ? {} : { seed }),
        runs,
        ...(all.length > runs.length ? { runs_left_out: all.length - runs.length } : {}),
        agreement: await this.#runs.agreement(
          runs.map(({ run_id }) => run_id),
          signal,
        ),
      });
    }
    const leftOut = repeated.length - found.length;
    return { groups: found, ...(leftOut > 0 ? { groups_left_out: leftOut } : {}) };
  }

  /**
   * Stops creating runs. The open run continues to its end, or is stopped at once with `force`. Does nothing if the
   * experiment has ended.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_elsewhere`
   */
  async stop(id: string, { force }: { force: boolean }): Promise<ExperimentReply> {
    const open = await this.#changes.run(async () => {
      const mine = await this.#heldUnfinished(id);
      if (!mine) return undefined;
      await this.#save(mine, { status: 'stopped' });
      mine.isHalted ||= force;
      const isFollowed = mine.items.some(({ status }) => status === 'running');
      if (isFollowed && !this.#open.has(id)) this.#take(mine);
      // A waiting experiment has nothing left to wait for; the one in progress yields on its own.
      if (!isFollowed && this.#open.values().next().value !== mine) await this.#release(id);
      return mine;
    });
    const running = open?.items.find((item) => item.status === 'running');
    if (running?.run_id && force) await this.#runs.stop(running.run_id, { force });
    return this.get(id);
  }

  /**
   * Continues a stopped experiment.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_elsewhere`
   */
  continue(id: string): Promise<ExperimentReply> {
    return this.#changes.run(() => this.#continue(id));
  }

  async #continue(id: string): Promise<ExperimentReply> {
    // Read again once its failure is stored: what was not stored must be done again.
    if (this.#open.get(id)?.failed) await this.#working;
    const before = await this.get(id);
    if (before.experiment.status !== 'stopped') return before;
    if (!(await this.#holder.hold(id))) throw await this.#notHeld(id);
    try {
      // Read again: another process may have changed or deleted it until it was held.
      const { experiment, items } = await this.get(id);
      const open =
        this.#open.get(id) ?? opened({ summary: experiment, items }, await this.#casesOf(experiment));
      if (open.summary.status === 'stopped') {
        const inWork = this.#open.values().next().value === open;
        await this.#save(open, { status: inWork ? 'running' : 'waiting', problem: undefined });
        open.isHalted = false;
        this.#take(open);
      }
    } finally {
      if (!this.#open.has(id)) await this.#holder.release(id);
    }
    return this.get(id);
  }

  /**
   * Adds runs to an experiment: further models, values, seeds or repeats. Runs that it has already are not repeated. One
   * that had finished continues.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_elsewhere`; else as `create`
   */
  async extend(id: string, { confirm_runs: confirmed, ...more }: ExtendExperiment): Promise<ExperimentReply> {
    const { total, draft, planned, cases } = await this.#extension(id, more);
    requireConfirmation(total, confirmed);
    await this.#admit(draft, planned, cases);
    return this.#changes.run(() =>
      this.#change(id, cases, ({ summary, items }) => {
        const plan = extendPlan(summary.plan, more);
        const added = newItems(plan, items, listOf(cases));
        return { change: { plan, total: items.length + added.length }, items: added };
      }),
    );
  }

  /** How many runs an experiment would have with more. Changes nothing. @throws {AppError} `experiment_not_found`, `invalid_request` */
  async countExtension(
    id: string,
    { confirm_runs: _, ...more }: ExtendExperiment,
  ): Promise<ExtensionCountReply> {
    const { total, planned } = await this.#extension(id, more);
    return { total, added: planned.length };
  }

  async #extension(id: string, more: Omit<ExtendExperiment, 'confirm_runs'>) {
    const { experiment, items } = await this.get(id);
    const draft = extendPlan(experiment.plan, more);
    const cases = await this.#casesOf(experiment);
    const planned = newItems(draft, items, listOf(cases));
    return { draft, cases, planned, total: items.length + planned.length };
  }

  /**
   * Adds items to an experiment, or replaces some. One that had finished continues.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_elsewhere`
   */
  async #change(
    id: string,
    cases: CasesById,
    changed: (open: Open) => { change?: Partial<ExperimentSummary>; items: readonly ExperimentItem[] },
  ): Promise<ExperimentReply> {
    if (!(await this.#holder.hold(id))) throw await this.#notHeld(id);
    try {
      // Read only now: the experiment may have changed until it was held.
      const latest = await this.get(id);
      const open = this.#open.get(id) ?? opened({ summary: latest.experiment, items: latest.items }, cases);
      const { change = {}, items } = changed(open);
      const isDone = open.summary.status === 'finished';
      await this.#save(open, isDone ? { ...change, status: 'waiting' } : change, ...items);
      if (isDone) open.isHalted = false;
      if (isUnfinished(open.summary)) this.#take(open);
    } finally {
      if (!this.#open.has(id)) await this.#holder.release(id);
    }
    return this.get(id);
  }

  /**
   * Retries what did not run: where a run could not be created, or an error ended it before the model's first reply.
   * Those earlier runs stay in the list of runs. An experiment that had finished continues; a stopped one stays stopped.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_elsewhere`, `invalid_request` if everything ran
   */
  retry(id: string): Promise<ExperimentReply> {
    return this.#changes.run(async () => {
      const { experiment } = await this.get(id);
      return this.#change(id, await this.#casesOf(experiment), ({ items }) => {
        const again = items.filter(didNotRun).map(waitingAgain);
        if (again.length > 0) return { items: again };
        throw new AppError({
          code: 'invalid_request',
          message: 'There is nothing to retry: every run that has ended did run.',
          hint: 'To run more, extend the experiment with more repeats.',
        });
      });
    });
  }

  /**
   * Deletes an experiment with its plan and results. Its runs stay in the list of runs unless `runs` is set; forks of them
   * always do.
   *
   * @throws {AppError} `experiment_not_found`, `experiment_not_ended`, `experiment_elsewhere`, `run_not_ended`
   */
  delete(id: string, { runs }: { runs: boolean }): Promise<DeletedExperimentReply> {
    return this.#changes.run(async () => {
      await this.#requireEnd(id);
      if (!(await this.#holder.hold(id))) throw await this.#notHeld(id);
      try {
        // Again: the previous holder may have continued it until now.
        await this.#requireEnd(id);
        const deleted = runs ? await this.#store.experimentRuns(id) : [];
        if (deleted.length > 0) await this.#runs.delete(deleted);
        await this.#store.deleteExperiment(id);
        this.#recent.delete(id);
        return { deleted: id, runs: deleted };
      } finally {
        if (!this.#open.has(id)) await this.#holder.release(id);
      }
    });
  }

  /** Why an experiment could not be held. @throws {AppError} `experiment_not_found` if it was deleted */
  async #notHeld(id: string): Promise<AppError> {
    await this.#summary(id);
    return elsewhere(id);
  }

  /** @throws {AppError} `experiment_not_found`, `experiment_not_ended` */
  async #requireEnd(id: string): Promise<void> {
    const summary = await this.#summary(id);
    if (!this.#open.has(id) && !isUnfinished(summary)) return;
    throw new AppError({
      code: 'experiment_not_ended',
      message: `Experiment ${id} has not ended.`,
      hint: 'Stop it first, then delete it.',
    });
  }

  async #release(id: string): Promise<void> {
    this.#open.delete(id);
    await this.#holder.release(id);
  }

  /** Drops an experiment that another process has taken over; nothing more is written for it here. */
  lose(id: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    open.gone.abort();
    this.#open.delete(id);
    console.warn(`Experiment ${id} was taken over by another process.`);
  }

  /** Stops executing; unfinished experiments resume at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  async #summary(id: string): Promise<ExperimentSummary> {
    const summary = this.#open.get(id)?.summary ?? (await this.#store.experimentSummary(id));
    return summary ?? notFound(id);
  }

  /** Reads an experiment that is not open here; one that was read lately and has not changed since is kept. */
  async #read(id: string): Promise<StoredExperiment> {
    const summary = await this.#summary(id);
    const kept = this.#recent.get(id);
    if (kept && kept.summary.updated_at === summary.updated_at && summary.status !== 'running') return kept;
    const found = (await this.#store.experiment(id)) ?? notFound(id);
    this.#recent.delete(id);
    this.#recent.set(id, found);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
    return found;
  }

  async #noted(id: string, items: readonly ExperimentItem[]): Promise<NotedItem[]> {
    const notes = items.length === 0 ? new Map<string, RunNote>() : await this.#store.experimentNotes(id);
    return items.map((item) => ({ ...item, ...notes.get(item.run_id ?? '') }));
  }

  /** A plan with the version of its suite, and the cases of that version that it runs. */
  async #frozen(plan: ExperimentPlan): Promise<{ plan: ExperimentPlan } & Partial<ExperimentCases>> {
    if (!plan.suite) return { plan: { ...plan, mode: plan.mode ?? DEFAULT_EXPERIMENT_MODE } };
    const chosen = chosenCases(await this.#suites.find(plan.suite), plan.suite);
    return { plan: { ...plan, suite: { ...plan.suite, hash: chosen.suite.hash } }, ...chosen };
  }

  /** @throws {AppError} `experiment_not_found` if it was deleted */
  async #casesOf({ id, suite }: ExperimentSummary): Promise<CasesById> {
    return suite ? casesById((await this.#store.experimentCases(id)) ?? notFound(id)) : new Map();
  }

  /** Rejects runs that could not start, before anything is stored. */
  async #admit(plan: ExperimentPlan, items: readonly ExperimentItem[], cases: CasesById): Promise<void> {
    for (const request of await distinctRequests(plan, items, cases)) {
      await this.#runs.admit(request);
    }
  }

  /**
   * An unfinished experiment held by this process, taking hold of it if it is free. An experiment held by another
   * process must be stopped there.
   */
  async #heldUnfinished(id: string): Promise<Open | undefined> {
    const here = this.#open.get(id);
    if (here && (await this.#keeps(here))) return here;
    if (!isUnfinished((await this.get(id)).experiment)) return undefined;
    if (!(await this.#holder.hold(id))) throw await this.#notHeld(id);
    // Read again: the previous holder may have continued it until now.
    const { experiment, items } = await this.get(id);
    if (isUnfinished(experiment)) {
      return opened({ summary: experiment, items }, await this.#casesOf(experiment));
    }
    await this.#holder.release(id);
    return undefined;
  }

  #take(open: Open): void {
    this.#open.set(open.summary.id, open);
    this.#working ??= this.#work()
      .catch((error: unknown) => console.error('An experiment stopped unexpectedly:', error)) // runs and server go on
      .finally(() => {
        this.#working = undefined;
        const [next] = this.#open.values();
        if (next && !this.#closing.signal.aborted) this.#take(next);
      });
  }

  /** Executes the first open experiment until it ends or is stopped. */
  async #work(): Promise<void> {
    const [open] = this.#open.values();
    if (!open) return;
    const { id } = open.summary;
    try {
      if (open.summary.status === 'waiting') await this.#saveWhenFree(open, { status: 'running' });
      // Searched from the beginning each time: items that did not run can be queued again in the meantime.
      for (let item = nextItem(open.items); item; item = nextItem(open.items)) {
        if (!(await this.#mayGoOn(open))) return;
        // An open run is followed to its end even if the experiment was stopped.
        if (open.summary.status !== 'running' && item.status === 'waiting') break;
        await this.#workOn(open, item);
      }
      if (open.unsaved && !this.#isOver(open)) await this.#saveWhenFree(open, {});
      const finished = open.items.every(({ status }) => status === 'done' || status === 'failed');
      if (finished && !this.#isOver(open)) await this.#saveWhenFree(open, { status: 'finished' });
    } catch (error) {
      if (this.#isOver(open)) return;
      open.failed = true;
      await this.#save(open, { status: 'stopped', problem: problemOf(error) });
      throw error;
    } finally {
      if (!open.gone.signal.aborted) {
        this.#open.delete(id);
        // It was extended while it was being marked as finished.
        if (open.summary.status === 'waiting' && !this.#isOver(open)) this.#open.set(id, open);
        else await this.#holder.release(id);
      }
    }
  }

  #isOver({ gone }: Open): boolean {
    return this.#closing.signal.aborted || gone.signal.aborted;
  }

  /**
   * Whether this process still holds the experiment. Checked before each step, because the process may have been
   * suspended.
   */
  async #keeps(open: Open): Promise<boolean> {
    const { id } = open.summary;
    if (await this.#holder.keep(id)) return true;
    this.lose(id);
    return false;
  }

  /** Whether this process goes on with the experiment, once the store can tell. */
  async #mayGoOn(open: Open): Promise<boolean> {
    return !this.#isOver(open) && (await this.#whenFree(open, () => this.#keeps(open)));
  }

  async #workOn(open: Open, item: ExperimentItem): Promise<void> {
    const started = item.run_id === undefined ? await this.#start(open, item) : item;
    if (started?.run_id === undefined) return;
    try {
      const { run_id } = started;
      if (open.isHalted) await this.#whenFree(open, () => this.#runs.stop(run_id, { force: true }));
      const result = await this.#whenFree(open, () => this.#resultOf(open, run_id));
      if (result) await this.#saveWhenFree(open, {}, { ...started, status: 'done', result });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'run_not_found')) throw error;
      if (!(await this.#mayGoOn(open))) return;
      // Otherwise the experiment would stop here again whenever it is continued.
      await this.#saveWhenFree(open, {}, deletedItem(started));
    }
  }

  /** The result of a run once it has ended; `undefined` if this process no longer works on the experiment. */
  async #resultOf(open: Open, runId: string): Promise<ExperimentResult | undefined> {
    await this.#runs.ended(runId, AbortSignal.any([this.#closing.signal, open.gone.signal]));
    if (!(await this.#mayGoOn(open))) return undefined;
    const result = await resultOfLog(this.#runs.log(runId), {
      ...this.#facts,
      ...(open.summary.suite ? { suite_hash: open.summary.suite.hash } : {}),
    });
    if (result) return result;
    throw new Error(`The log of run ${runId} has no end.`);
  }

  /** Creates the run of an item. If that fails, the item fails and the others continue. */
  async #start(open: Open, item: ExperimentItem): Promise<ExperimentItem | undefined> {
    const { id, plan } = open.summary;
    try {
      const retried = item.retries === undefined ? '' : `:${item.retries}`;
      const idempotencyKey = `experiment:${id}:${item.position}${retried}`;
      const one = caseOf(item, open.cases);
      const files = one?.files;
      const request = checkedRequest(plan, item, one);
      const options = { idempotencyKey, family: id, ...(files && { files }) };
      const run_id = await this.#whenFree(open, () => this.#runs.start(request, options));
      const running: ExperimentItem = { ...item, run_id, status: 'running' };
      await this.#saveWhenFree(open, {}, running);
      return running;
    } catch (error) {
      if (!(error instanceof AppError) || this.#isOver(open)) throw error;
      const problem = problemOf(error);
      if (HALTING.has(error.code)) await this.#saveWhenFree(open, { status: 'stopped', problem });
      else await this.#saveWhenFree(open, {}, { ...item, status: 'failed', error: problem });
      return undefined;
    }
  }

  /** @throws {AppError} `store_busy` if the store stays locked or does not respond, so that a person can try again */
  async #save(
    open: Open,
    change: Partial<ExperimentSummary>,
    ...items: readonly ExperimentItem[]
  ): Promise<void> {
    this.#apply(open, change, items);
    await this.#write(open, items);
  }

  /** Saves as soon as the store responds, unless another process has taken over by then. */
  async #saveWhenFree(
    open: Open,
    change: Partial<ExperimentSummary>,
    ...items: readonly ExperimentItem[]
  ): Promise<void> {
    this.#apply(open, change, items);
    let waited = false;
    await this.#whenFree(open, async () => {
      if (waited && !(await this.#keeps(open))) return;
      waited = true;
      await this.#write(open, items);
    });
  }

  /** Stores the summary and these items; all items after a write that failed. */
  async #write(open: Open, items: readonly ExperimentItem[]): Promise<void> {
    const written = open.unsaved ? open.items : items;
    open.unsaved = false;
    try {
      await this.#store.saveExperiment(open.summary, written);
    } catch (error) {
      open.unsaved = true;
      throw error;
    }
  }

  /** Retries steps of the work while the store is locked or does not respond, as runs do. */
  #whenFree<T>(open: Open, work: () => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([this.#closing.signal, open.gone.signal]);
    return retryWhileBusy(work, { subject: `Experiment ${open.summary.id}`, signal });
  }

  #apply(open: Open, change: Partial<ExperimentSummary>, items: readonly ExperimentItem[]): void {
    const judged = items.some(({ position, result }) => result ?? open.items[position - 1]?.result);
    for (const item of items) open.items[item.position - 1] = item;
    const count = (status: ExperimentItem['status']) =>
      open.items.filter((each) => each.status === status).length;
    open.summary = {
      ...open.summary,
      ...change,
      updated_at: Date.now(),
      done: count('done'),
      failed: count('failed'),
      running: count('running'),
      ...(judged
        ? {
            verdicts: verdictsOf(open.items),
            not_run: open.items.filter(({ result }) => result && !didRun(result)).length,
          }
        : {}),
    };
  }
}

function notFound(id: string): never {
  throw new AppError({
    code: 'experiment_not_found',
    message: `There is no experiment "${id.slice(0, 100)}".`,
    hint: 'Check the ID: the experiment may have been deleted.',
  });
}

function isUnfinished({ status }: ExperimentSummary): boolean {
  return status === 'running' || status === 'waiting';
}

/** The item to work on: one whose run is open, else the first that waits. */
function nextItem(items: readonly ExperimentItem[]): ExperimentItem | undefined {
  return items.find(({ status }) => status === 'running') ?? items.find(({ status }) => status === 'waiting');
}

/** An item whose run was deleted before its result was stored; it can be retried. */
function deletedItem({ run_id: runId, ...item }: ExperimentItem): ExperimentItem {
  const message = `Run ${runId} was deleted before its result was stored.`;
  return { ...item, status: 'failed', error: { code: 'run_not_found', message } };
}

/** The error in a form that can be shown. */
function problemOf(error: unknown): ErrorShape {
  if (!(error instanceof AppError)) {
    const why = errorMessage(error);
    return { code: 'internal_error', message: `Unexpected error: ${why}` };
  }
  const { code, message, hint } = error;
  return { code, message, hint };
}

function opened({ summary, items }: Pick<Open, 'summary' | 'items'>, cases: CasesById): Open {
  // Copied, because a stored experiment may be kept for other requests.
  return { summary, items: [...items], cases, gone: new AbortController() };
}

function casesById(cases: readonly SuiteCase[] = []): CasesById {
  return new Map(cases.map((one) => [one.id, one]));
}

/** The cases as a list; `undefined` without a suite. */
function listOf(cases: CasesById): SuiteCase[] | undefined {
  return cases.size === 0 ? undefined : [...cases.values()];
}

function elsewhere(id: string): AppError {
  return new AppError({
    code: 'experiment_elsewhere',
    message: `Experiment ${id} is held by another process that uses this database.`,
    hint: 'Stop or continue it there.',
  });
}
