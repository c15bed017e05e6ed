import type { RenderedBy, RenderedReply } from '../api/sent-request.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import { fullName } from '../model/ollama-models.ts';
import type { HostSlots } from '../queue/host-slots.ts';
import type { LocalRuns } from './local-runs.ts';
import type { StoredRuns } from './stored-runs.ts';

export interface ModelUseOptions {
  stored: Pick<StoredRuns, 'get' | 'sentRequest'>;
  runs: Pick<LocalRuns, 'configsAtWork'>;
  slots: Pick<HostSlots, 'activeChecks'>;
  /** Which model server a run works with. */
  hostOf(config: Pick<RunConfig, 'model'>): string;
  /** The prompt that the model's server makes of a request; loads the model. */
  render(
    request: ChatRequest,
    context: { signal: AbortSignal; timeoutMs: number },
  ): Promise<{ prompt: string; by: RenderedBy }>;
  /** The full names of all installed models that share the model's runner in memory, the model's own among them. */
  namesOfRunner(model: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Takes a model out of memory. */
  unload(model: string, signal: AbortSignal): Promise<void>;
}

/** What people do with a loaded model beside the runs and checks that use it: never at their expense. */
export class ModelUse {
  readonly #options: ModelUseOptions;

  constructor(options: ModelUseOptions) {
    this.#options = options;
  }

  /**
   * The prompt that the model's server makes today of a call's request, control tokens included, and whether the model is still
   * the one that was called. The server loads the model for it, so this happens on request only.
   *
   * @throws {AppError} what `sentRequest` throws, `model_in_use` while a run works with another model, what the server answers
   */
  async render(runId: string, call: number, signal: AbortSignal): Promise<RenderedReply> {
    const { stored, runs, slots, hostOf, render } = this.#options;
    const { request, recorded } = await stored.sentRequest(runId, call);
    const { config } = await stored.get(runId);
    const host = hostOf(config);
    const others = [
      ...runs.configsAtWork.flatMap((other) => (hostOf(other) === host ? [other.model] : [])),
      ...slots.activeChecks.flatMap((active) => (active.host === host ? [active.model] : [])),
    ];
    const other = others.find((model) => model !== request.model);
    if (other !== undefined) {
      throw new AppError({
        code: 'model_in_use',
        message: `${other} is at work; rendering would load ${request.model} in its place.`,
        hint: 'Wait until its run or its check has ended.',
      });
    }
    const { prompt, by } = await render(request, { signal, timeoutMs: config.load_timeout_ms });
    const known = recorded.digest !== undefined && by.digest !== undefined;
    return {
      call,
      rendered: prompt,
      recorded,
      current: by,
      template: known ? (recorded.digest === by.digest ? 'same' : 'changed') : 'unknown',
    };
  }

  /**
   * Takes a model out of memory, to have its room for something else.
   *
   * @throws {AppError} `model_in_use` while a run works with it, and what the server answers
   */
  async unload(model: string, signal: AbortSignal): Promise<void> {
    const { runs, slots, namesOfRunner, unload } = this.#options;
    // A copy, or a model made FROM this one, loses its runner with it.
    const names = await namesOfRunner(model, signal);
    const isOfRunner = (used: { model: string }) => names.includes(fullName(used.model));
    const run = runs.configsAtWork.find(isOfRunner);
    const check = slots.activeChecks.find(isOfRunner);
    if (run) throw modelInUse(model, { by: 'run', used: run.model });
    if (check) throw modelInUse(model, { by: 'check', used: check.model });
    await unload(model, signal);
  }
}

function modelInUse(model: string, { by, used }: { by: 'run' | 'check'; used: string }): AppError {
  const isOwn = fullName(used) === fullName(model);
  const named = isOwn ? model : `${used}, which shares the runner of ${model}`;
  return new AppError({
    code: 'model_in_use',
    message: by === 'run' ? `A run works with ${named}.` : `${named}${isOwn ? '' : ','} is being checked.`,
    hint: 'Stop it first, or wait until it has ended.',
  });
}
