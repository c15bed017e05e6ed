import { isSameInOllama } from '../util/model-name.ts';
import type { RemoteModel, Residency } from './chat-model.ts';
import type { InstalledModel } from './installed-model.ts';
import { ModelError } from './model-error.ts';
import type { OllamaConnection } from './ollama-connection.ts';
import { listAgain, listRunningAgain, recentlyInstalled, recentlyRunning, show } from './ollama-models.ts';
import { SHORT_WHILE_MS } from './recent-answers.ts';
import { readRemote, remoteRefused } from './remote-model.ts';
import type { RunningModel } from './running-model.ts';

/** A residency with the runner's data from `/api/ps`. */
export type RunnerResidency = Residency<RunningModel>;

/** A model's data from `/api/tags`; only its name if it is not listed. */
type OwnModel = Pick<InstalledModel, 'name'> & Partial<InstalledModel>;

/** A model's data from `/api/tags`, and the current name of each manifest. */
interface Store {
  own: OwnModel;
  nameOf: ReadonlyMap<string, string>;
}

/**
 * Finds the runner of a model. Ollama's scheduler keys runners by their weights (`server/sched.go`,
 * `schedulerModelKey`), and `/api/ps` lists a runner under the name that loaded it: a copy (`ollama cp`) or a model
 * made `FROM` another appears under the other's name. The list of models may be a few seconds old, unless it contradicts
 * `/api/ps`.
 */
export class RunnerFinder {
  readonly #connection: OllamaConnection;
  readonly #model: string;
  constructor(connection: OllamaConnection, model: string) {
    this.#connection = connection;
    this.#model = model;
  }

  /** @throws {ModelError} when `/api/ps` exists and is not answered */
  async find(signal: AbortSignal): Promise<RunnerResidency> {
    return this.#findAmong(await listRunningAgain(this.#connection, signal), signal);
  }

  /** `find`, with another caller's recent answer if there is one. */
  async findRecent(signal: AbortSignal): Promise<RunnerResidency> {
    return this.#findAmong(await recentlyRunning(this.#connection, signal), signal);
  }

  async #findAmong(
    running: readonly RunningModel[] | undefined,
    signal: AbortSignal,
  ): Promise<RunnerResidency> {
    if (!running) return { state: 'unknown', unlisted: true };
    if (running.length === 0) return { state: 'not_loaded' };
    let { own, nameOf } = await this.#store(() => recentlyInstalled(this.#connection, signal));
    const isOutdated = running.some(
      (runner) =>
        own.digest !== undefined && isSameInOllama(runner.name, own.name) && !isManifestOf(runner, own),
    );
    if (isOutdated) ({ own, nameOf } = await this.#store(() => listAgain(this.#connection, signal)));
    if (!running.some((runner) => isManifestOf(runner, own))) {
      await this.#learnKey(own.digest, own.name, signal);
      for (const { digest } of running) await this.#learnKey(digest, nameOf.get(digest ?? ''), signal);
    }
    return findRunner(own, running, (digest) => this.#connection.runnerKeys.get(digest));
  }

  /**
   * The model as `/api/tags` lists it, or did a short while ago.
   *
   * @throws {ModelError} `aborted`; `remote_model` where that is not allowed
   */
  async installed(signal: AbortSignal): Promise<OwnModel> {
    const { own } = await this.#store(() => recentlyInstalled(this.#connection, signal, SHORT_WHILE_MS));
    refuseRemote(this.#connection, this.#model, own.remote);
    return own;
  }

  async #store(list: () => Promise<readonly InstalledModel[]>): Promise<Store> {
    let models: readonly InstalledModel[] = [];
    try {
      models = await list();
    } catch (error) {
      // Without the list, only names are compared, and anything else is unknown.
      if (!(error instanceof ModelError) || error.kind === 'aborted') throw error;
    }
    const own = models.find(({ name }) => isSameInOllama(name, this.#model)) ?? {
      name: this.#model,
      remote: readRemote(this.#model, {}),
    };
    return {
      own,
      nameOf: new Map(models.map(({ name, digest }) => [digest ?? '', name])),
    };
  }

  /** A digest identifies one manifest, so its key never changes; that the server does not report it may change. */
  async #learnKey(digest: string | undefined, name: string | undefined, signal: AbortSignal): Promise<void> {
    const { runnerKeys, facts } = this.#connection;
    if (digest === undefined || name === undefined || runnerKeys.has(digest)) return;
    try {
      const { runnerKey } = await facts.manifests.get(digest, () => show(this.#connection, name, signal));
      if (runnerKey !== undefined) runnerKeys.set(digest, runnerKey || digest);
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind === 'aborted') throw error;
    }
  }
}

/** @throws {ModelError} `remote_model`, unless remote models are allowed */
export function refuseRemote(
  { allowRemoteModels }: OllamaConnection,
  model: string,
  remote: RemoteModel | undefined,
): void {
  if (remote && !allowRemoteModels) throw remoteRefused(model, remote);
}

/**
 * Finds the runner of an installed model in a response of `/api/ps`. Pure.
 *
 * @param keyOf the scheduler's runner key of a manifest; `undefined` if unknown
 */
export function findRunner(
  model: OwnModel,
  running: readonly RunningModel[],
  keyOf: (digest: string) => string | undefined,
): RunnerResidency {
  if (model.remote) return { state: 'not_loaded' };
  const key = model.digest === undefined ? undefined : keyOf(model.digest);
  const found =
    running.find((runner) => isManifestOf(runner, model)) ??
    running.find(({ digest }) => key !== undefined && keyOf(digest ?? '') === key);
  if (found) return { state: 'loaded', model: found };
  const isOther = (runner: RunningModel) =>
    hasOtherWeights(runner, model) || (key !== undefined && keyOf(runner.digest ?? '') !== undefined);
  return { state: running.every(isOther) ? 'not_loaded' : 'unknown' };
}

/** Whether a runner was loaded for exactly this manifest; compares names if a digest is missing. */
function isManifestOf(runner: RunningModel, { name, digest }: OwnModel): boolean {
  if (runner.digest !== undefined && digest !== undefined) return runner.digest === digest;
  return isSameInOllama(runner.name, name);
}

/** A different architecture, size or quantization means different weights. */
function hasOtherWeights(runner: RunningModel, model: OwnModel): boolean {
  const facts = ['format', 'family', 'parameterSize', 'quantization'] as const;
  return facts.some(
    (fact) => runner[fact] !== undefined && model[fact] !== undefined && runner[fact] !== model[fact],
  );
}
