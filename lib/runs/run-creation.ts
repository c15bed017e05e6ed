import { isDeepStrictEqual } from 'node:util';
import { askedModels, type FurtherModels } from '../api/asked-models.ts';
import type { NewRun } from '../api/create-run.ts';
import type { ForkPlace } from '../api/fork-place.ts';
import type { ForkPlan } from '../api/fork-run.ts';
import { decodeImage } from '../api/image.ts';
import type { RunExtras, RunSummary } from '../api/run-summary.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { EventOf, NewEvent, RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { keyConflict } from '../store/request-key.ts';
import type { CreatedLog, RunStore } from '../store/run-store.ts';
import { RunMayExistError, RunNotFoundError } from '../store/store-errors.ts';
import { type ForkFacts, type ForkFolder, type ForkPoint, planFork } from './plan-fork.ts';
import { hasFreshWorkspace, type PreparedRun } from './prepare-run.ts';
import { newRunId } from './run-id.ts';
import { readAttached } from './run-images.ts';
import type { RunLookup } from './run-lookup.ts';
import type { WriteGuard } from './write-guard.ts';

/** For checks that cannot be cancelled, because every request gets an answer. */
const NEVER = new AbortController().signal;

/** Starts new runs. */
interface NewRunWorker {
  /** The worker that claims runs as they are created. Where processes share the store, the first with a free slot does. */
  readonly claimsNew: string | undefined;
  /** Starts a run that was just created and claimed. @param state the fold of `first`, its only event */
  beginNew(state: RunState, first: EventOf<'run.created'>): void;
  /** Starts a new run that no worker has claimed. */
  beginUnclaimed(runId: string, config: RunConfig): Promise<void>;
}

export interface RunCreationOptions {
  store: Pick<RunStore, 'create' | 'fork' | 'read'>;
  stored: Pick<RunLookup, 'get'> & {
    noteCreated(runId: string, extras: RunExtras): void;
    forkPoint(runId: string, place: ForkPlace): Promise<ForkPoint>;
  };
  worker: NewRunWorker;
  guard: Pick<WriteGuard, 'refuseNewRun'>;
  /** Fills in defaults and creates or checks the workspace. `discard` undoes this if the run is certainly not created. */
  prepare(request: NewRun, runId: string, files: StartOptions['files']): Promise<PreparedRun>;
  /** Refuses models that runs cannot or may not use, also missing ones that a run may miss later if that is not allowed. */
  admit(models: FurtherModels & { model: string }, allowed?: { missing: boolean }): Promise<void>;
  /** Creates or checks the workspace of a fork with these tools. `discard` deletes a copy. */
  prepareFork(
    config: RunConfig,
    options: { kind: ForkFolder; runId: string; model: string; tools: readonly string[] },
  ): Promise<ForkFacts & Pick<PreparedRun, 'keep' | 'discard'>>;
}

/** A run created by this request, or by an earlier one with the same idempotency key. */
export interface CreatedRun {
  run: RunSummary;
  config: RunConfig;
  created: boolean;
}

/** How a run is created. */
export interface StartOptions {
  idempotencyKey?: string;
  /** The experiment it belongs to. */
  family?: string;
  /** What its new folder contains: the text of each file by its path. */
  files?: Readonly<Record<string, string>>;
}

/** Creates runs, from a request or as a fork, and starts them. */
export class RunCreation {
  readonly #options: RunCreationOptions;

  constructor(options: RunCreationOptions) {
    this.#options = options;
  }

  /**
   * Creates and starts a run. Returns as soon as it is stored (D3).
   *
   * @throws {AppError} `storage_full`, `idempotency_conflict`, `run_deleted`, `image_refused`, `workspace_…`, `remote_model`, `model_no_completion`, `shutting_down`
   */
  async start(request: NewRun, options: StartOptions = {}): Promise<CreatedRun> {
    const { store, stored, worker, guard, prepare, admit } = this.#options;
    await guard.refuseNewRun();
    const id = newRunId(new Date());
    const admitted = admit(askedModels(request));
    admitted.catch(() => undefined); // thrown below, unless the workspace is refused
    const attached = await readAttached((request.images ?? []).map(decodeImage), new Map(), NEVER);
    const { config: resolved, copied, folder, keep, discard } = await prepare(request, id, options.files);
    const config = attached.refs.length === 0 ? resolved : { ...resolved, images: attached.refs };
    const { idempotencyKey, family } = options;
    const place = {
      ...(family === undefined ? {} : { family }),
      ...(folder === undefined ? {} : { folder }),
    };
    let made: CreatedLog;
    try {
      await admitted;
      const { claimsNew } = worker;
      keep();
      made = await store.create({
        ...{ id, config, copied, idempotencyKey, worker: claimsNew },
        ...place,
        images: attached.stored,
      });
    } catch (error) {
      if (!(error instanceof RunMayExistError)) await discard();
      throw error;
    }
    if (!made.created) {
      await discard();
      const first = await this.#firstOf(made.runId);
      if (!sameRequest(first.config, config, hasFreshWorkspace(request)))
        throw keyConflict('run', made.runId);
      return { ...first, created: false };
    }
    if (worker.claimsNew !== undefined) {
      worker.beginNew(made.state, made.first);
      stored.noteCreated(id, place);
    } else await worker.beginUnclaimed(id, config);
    return { ...(await stored.get(id)), created: true };
  }

  /**
   * Creates and starts a fork of a run. The source run is not changed, whether or not it has ended; its log up to the fork
   * is copied with the original timestamps.
   *
   * @throws {AppError} `run_not_found`, `event_not_found`, `fork_point_open`, `invalid_request`, `imported_workspace`,
   *   `workspace_…`, `storage_full`, `idempotency_conflict`, `run_deleted`, `shutting_down`
   */
  async fork(
    parentId: string,
    request: ForkPlan,
    options: { idempotencyKey?: string } = {},
  ): Promise<CreatedRun> {
    const { store, stored, worker, guard, prepareFork, admit } = this.#options;
    await guard.refuseNewRun();
    const point = await stored.forkPoint(parentId, request.at);
    const { run: source } = await stored.get(parentId);
    const kind = folderOfFork(source, request, point.state.config);
    const folder = kind === 'empty' ? undefined : source.folder;
    const id = newRunId(new Date());
    const { keep, discard, ...facts } = await prepareFork(point.state.config, {
      kind,
      runId: id,
      model: request.settings.model ?? point.state.config.model,
      tools: request.settings.tools ?? point.state.config.tools ?? [],
    });
    const parent = { run_id: parentId, seq: point.seq };
    const { idempotencyKey } = options;
    const planAt = (place: ForkPoint) =>
      planFork(place, request, { ...facts, imported: source.imported_at !== undefined });
    let made: { runId: string; created: boolean };
    let events: NewEvent[];
    let config: RunConfig;
    try {
      ({ config, events } = planAt(point));
      // A fork cannot change its embedding model and judges, and one may have been removed since.
      await admit(askedModels({ ...config, diversity: config.explore?.diversity }), { missing: true });
      keep();
      made = await store.fork({ id, config, parent, events, idempotencyKey, folder });
    } catch (error) {
      if (!(error instanceof RunMayExistError)) await discard();
      throw error;
    }
    if (!made.created) {
      await discard();
      const first = await this.#firstOf(made.runId);
      const at = first.run.parent;
      // The run may have grown since then, and its end moved.
      const hasMoved = 'end' in request.at && at?.run_id === parentId && at.seq < parent.seq;
      const isSame = hasMoved
        ? await this.#isSameFork(
            made.runId,
            at,
            planAt(await stored.forkPoint(parentId, { seq: at.seq })).events,
          )
        : await this.#isSameFork(made.runId, parent, events);
      if (!isSame) throw keyConflict('run', made.runId);
      return { ...first, created: false };
    }
    await worker.beginUnclaimed(id, config);
    return { ...(await stored.get(id)), created: true };
  }

  /** The run that an earlier request with the same key created. @throws {AppError} `run_deleted` */
  async #firstOf(runId: string): Promise<{ run: RunSummary; config: RunConfig }> {
    try {
      return await this.#options.stored.get(runId);
    } catch (error) {
      if (!(error instanceof RunNotFoundError)) throw error;
      throw new AppError({
        code: 'run_deleted',
        message: `The run that was started with this idempotency key was deleted (run ${runId}).`,
        hint: 'Restore it, or use a new key for a new run.',
        cause: error,
      });
    }
  }

  async #isSameFork(
    runId: string,
    parent: { run_id: string; seq: number },
    events: readonly NewEvent[],
  ): Promise<boolean> {
    const range = { afterSeq: parent.seq, limit: events.length };
    const first = await this.#options.store.read(runId, range);
    const [forked] = first;
    if (forked?.type !== 'run.forked' || forked.from.run_id !== parent.run_id) return false;
    // The folder of a copy and its counts differ between attempts.
    return isDeepStrictEqual(first.map(asked), JSON.parse(JSON.stringify(events.map(asked))));
  }
}

/**
 * The workspace of a fork. The author of an imported file chose its folder and its conversation, so no file of that folder
 * reaches the model unless a person confirms it.
 */
function folderOfFork(run: RunSummary, request: ForkPlan, { workspace }: RunConfig): ForkFolder {
  const copies = request.workspace ?? (run.imported_at === undefined ? 'copy' : 'empty');
  if (request.copy_from !== undefined && copies !== 'copy') {
    throw new AppError({
      code: 'invalid_request',
      message: `copy_from: It has no effect, because the fork does not copy a folder ("workspace": "${copies}").`,
      hint: 'Set workspace to "copy", or omit copy_from.',
    });
  }
  if (run.imported_at === undefined || workspace === '') {
    const kind = request.workspace ?? 'copy';
    if (kind === 'copy' && (request.copy_from ?? workspace) !== workspace) throw notItsFolder(run, workspace);
    return kind;
  }
  const kind = request.workspace ?? 'empty';
  if (kind === 'empty' || (kind === 'copy' && request.copy_from === workspace)) return kind;
  throw new AppError({
    code: 'imported_workspace',
    message: `Run ${run.id} was imported, and its file names the folder ${workspace}. A fork uses it only if you confirm it.`,
    hint: 'Start the fork in an empty folder ("workspace": "empty"), or copy the folder ("workspace": "copy" with its path in "copy_from").',
  });
}

function notItsFolder({ id }: RunSummary, workspace: string): AppError {
  return new AppError({
    code: 'invalid_request',
    message: `copy_from: A fork copies only the folder of its run: ${workspace === '' ? `${id} has none` : workspace}.`,
    hint: 'Omit copy_from, or set it to this folder.',
  });
}

/** The requested part of a fork's events, without facts found while creating it. */
function asked(event: NewEvent | RunEvent): unknown {
  if (event.type === 'operator.messaged') return event.text;
  if (event.type !== 'run.forked') return event.type;
  const {
    from,
    edits,
    settings,
    files,
  }: Pick<EventOf<'run.forked'>, 'from' | 'edits' | 'settings' | 'files'> = event;
  return { from, edits, settings, files: files.kind };
}

function sameRequest(first: RunConfig, second: RunConfig, freshWorkspace: boolean): boolean {
  const workspace = freshWorkspace ? first.workspace : second.workspace;
  // Neither is part of the request: the price is that of the run's creation, and older logs lack `asked`.
  const { asked, price } = first;
  // As stored: without undefined fields.
  const stored: unknown = JSON.parse(JSON.stringify({ ...second, workspace, asked, price }));
  return isDeepStrictEqual(stored, first);
}
