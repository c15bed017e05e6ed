import type { LoadedModel, LoadProgress } from './chat-model.ts';
import { keepAliveForLoad } from './keep-alive.ts';
import { ModelError, ModelNotAvailableError } from './model-error.ts';
import { callOllama, type OllamaConnection } from './ollama-connection.ts';
import { RunnerFinder, type RunnerResidency } from './residency.ts';
import type { RunningModel } from './running-model.ts';

/** Polling interval of `/api/ps` during a load. */
const WATCH_MS = 500;
/** Short, because a small model reloads in 300 ms and is missing from `/api/ps` for most of that time. */
const RELOAD_WATCH_MS = 50;

/** Abort reason of the watch once the load is over. */
const OVER = 'over';

export interface LoadContext {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress?: (progress: LoadProgress) => void;
}

/**
 * Loads a model and reports its effective settings: empty `messages` load it (OL9), closing the connection cancels
 * the load (OL10). Remote models are not loaded.
 *
 * @param request.options the run's other options. Load options (`num_gpu`, `num_batch` …) must be the same here and
 *   in the calls, or the first call reloads the model (OL14)
 * @returns also the model's runner after the load, unless the model is remote
 * @throws {ModelError} `timeout`, `remote_model` if remote models are not allowed, and the errors of a call
 */
export async function loadModel(
  connection: OllamaConnection,
  request: { model: string; numCtx: number; keepAlive: string | number; options?: Record<string, unknown> },
  context: LoadContext,
): Promise<{ loaded: LoadedModel; runner: RunnerResidency | undefined }> {
  const { model } = request;
  const finder = new RunnerFinder(connection, model);
  const [{ remote, digest }, before] = await Promise.all([
    finder.installed(context.signal),
    finder.findRecent(context.signal),
  ]);
  if (remote) {
    return {
      loaded: { loadMs: 0, alreadyLoaded: false, remoteHost: remote.host },
      runner: undefined,
    };
  }
  // A restarted server has no model in memory, and may have been upgraded.
  if (before.state === 'not_loaded') connection.facts.pings.forget();
  const startedAt = performance.now();
  const body = {
    model,
    messages: [],
    options: { ...request.options, num_ctx: request.numCtx },
    truncate: false,
    shift: false,
    keep_alive: keepAliveForLoad(request.keepAlive),
  };
  const over = new AbortController();
  const watch = watchLoad(connection, { model, before, onProgress: context.onProgress }, over.signal);
  try {
    await callOllama(
      connection,
      { ...context, onTimeout: () => loadTimeout(model, context.timeoutMs), asked: { model } },
      (call) => call.post('/api/chat', [Buffer.from(JSON.stringify({ ...body, stream: false }))]),
    );
  } catch (error) {
    throw error instanceof ModelError && error.kind === 'model_missing' ? removed(model, error) : error;
  } finally {
    over.abort(OVER);
    connection.facts.running.forget();
  }
  const loadMs = performance.now() - startedAt;
  const wasGone = await watch;
  const after = await finder.find(context.signal);
  // Polling can miss a short absence of the runner, but a request to a responsive runner does not wait this long.
  const wasReplaced = wasGone || loadMs >= connection.limits.runnerAnswerMs;
  const unlisted = after.state === 'unknown' && after.unlisted;
  const alreadyLoaded = !wasReplaced && !unlisted && wasShared(before, after);
  const inEffect = after.state === 'loaded' ? after.model : undefined;
  const loaded = {
    contextTokens: inEffect?.contextTokens,
    sizeBytes: inEffect?.sizeBytes,
    vramBytes: inEffect?.vramBytes,
    loadMs: alreadyLoaded ? 0 : Math.round(loadMs),
    alreadyLoaded,
    ...(unlisted && { unlisted }),
    ...(digest !== undefined && { digest }),
  };
  return { loaded, runner: after };
}

/**
 * Whether a request used a runner already in memory. Ollama lists a runner under the model that loaded it: if ours is
 * not listed afterwards, another model's runner answered, even if sharing cannot be determined.
 */
function wasShared(before: RunnerResidency, after: RunnerResidency): boolean {
  if (after.state === 'unknown') return before.state === 'unknown';
  return before.state === 'loaded' && after.state === 'loaded' && isSameRunner(before.model, after.model);
}

function isSameRunner(before: RunningModel, after: RunningModel): boolean {
  return (
    before.name === after.name &&
    before.digest === after.digest &&
    before.contextTokens === after.contextTokens &&
    before.sizeBytes === after.sizeBytes &&
    before.vramBytes === after.vramBytes
  );
}

/**
 * Polls the server about the model while it loads. Failed polls are repeated; the load itself reports errors.
 *
 * @returns whether the model's runner disappeared meanwhile: with other load options or an unresponsive runner, Ollama
 *   reloads the model without any other sign
 */
async function watchLoad(
  connection: OllamaConnection,
  about: Pick<LoadContext, 'onProgress'> & { model: string; before: RunnerResidency },
  over: AbortSignal,
): Promise<boolean> {
  const { model, before, onProgress } = about;
  if (before.state !== 'loaded' && !onProgress) return false;
  const finder = new RunnerFinder(connection, model);
  let wasGone = false;
  while (!over.aborted) {
    try {
      await pause(before.state === 'loaded' ? RELOAD_WATCH_MS : WATCH_MS, over);
      if (over.aborted) break;
      const seen = await finder.find(over);
      if (over.aborted) break;
      if (seen.state !== 'loaded') wasGone ||= before.state === 'loaded';
      else onProgress?.({ sizeBytes: seen.model.sizeBytes, vramBytes: seen.model.vramBytes });
    } catch (error) {
      const passing = error instanceof ModelError || over.aborted;
      if (!passing) throw error;
    }
  }
  return wasGone;
}

/** Resolves after `ms`, or as soon as the load is over. Unlike `delay` with a signal, it creates no error then. */
function pause(ms: number, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  over.addEventListener(
    'abort',
    () => {
      clearTimeout(timer);
      resolve();
    },
    { once: true },
  );
  return promise;
}

/** The model was installed when it was checked before the load. */
function removed(model: string, cause: ModelError): ModelError {
  return new ModelNotAvailableError({ model, status: 404, detail: cause.message, cause });
}

function loadTimeout(model: string, timeoutMs: number): ModelError {
  return new ModelError({
    kind: 'timeout',
    message: `Ollama did not load "${model}" within ${timeoutMs / 1000} s.`,
    hint: 'Large models on slow disks need longer: raise the load timeout, or choose a smaller model.',
  });
}
