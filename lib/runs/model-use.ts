import type { RenderedBy, RenderedReply } from '../api/sent-request.ts';
import { withImageBytes } from '../engine/run-images.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import type { HostSlots, SlotPurpose } from '../queue/host-slots.ts';
import { fullName, isSameModel } from '../util/model-name.ts';
import type { LocalRuns } from './local-runs.ts';
import type { RunLookup } from './run-lookup.ts';
import type { SentRequest } from './sent-request.ts';

export interface ModelUseOptions {
  stored: Pick<RunLookup, 'get'> & {
    sentRequest(runId: string, call: number): Promise<SentRequest>;
    /** An image of a run in base64. */
    imageBytes(runId: string, hash: string): Promise<string | undefined>;
  };
  runs: Pick<LocalRuns, 'configsAtWork'>;
  slots: Pick<HostSlots, 'activeUses'>;
  /** The model server of a run. */
  hostOf(config: Pick<RunConfig, 'model'>): string;
  /** Renders a request's prompt on the model server, which loads the model. */
  render(
    request: ChatRequest,
    context: { signal: AbortSignal; timeoutMs: number },
  ): Promise<{ prompt: string; by: RenderedBy }>;
  /** Full names of all installed models that share the model's runner, including its own. */
  namesOfRunner(model: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Unloads a model. */
  unload(model: string, signal: AbortSignal): Promise<void>;
}

/** Actions on models outside of runs and checks, refused if they would disturb one. */
export class ModelUse {
  readonly #options: ModelUseOptions;

  constructor(options: ModelUseOptions) {
    this.#options = options;
  }

  /**
   * Renders a call's prompt, including control tokens, with the current model server, and reports whether the model has
   * changed since the call. Only done on request, because the server loads the model.
   *
   * @throws {AppError} like `sentRequest`; `model_in_use` while a run uses another model; errors of the server
   */
  async render(runId: string, call: number, signal: AbortSignal): Promise<RenderedReply> {
    const { stored, runs, slots, hostOf, render } = this.#options;
    const { request: shown, recorded } = await stored.sentRequest(runId, call);
    const request = await withImageBytes(shown, (hash) => stored.imageBytes(runId, hash));
    const { config } = await stored.get(runId);
    const host = hostOf(config);
    const others = [
      ...runs.configsAtWork.flatMap((other) => (hostOf(other) === host ? [other.model] : [])),
      ...slots.activeUses.flatMap((active) => (active.host === host ? [active.model] : [])),
    ];
    const other = others.find((model) => !isSameModel(model, request.model));
    if (other !== undefined) {
      throw new AppError({
        code: 'model_in_use',
        message: `${other} is in use, and rendering would replace it with ${request.model}.`,
        hint: 'Wait until it has ended.',
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
   * Unloads a model to free its memory.
   *
   * @throws {AppError} `model_in_use` while a run uses it; errors of the server
   */
  async unload(model: string, signal: AbortSignal): Promise<void> {
    const { runs, slots, namesOfRunner, unload } = this.#options;
    // Copies, and models created FROM this one, share its runner.
    const names = await namesOfRunner(model, signal);
    const isOfRunner = (used: { model: string }) => names.includes(fullName(used.model));
    const run = runs.configsAtWork.find(isOfRunner);
    const use = slots.activeUses.find(isOfRunner);
    if (run) throw modelInUse(model, { by: 'run', used: run.model });
    if (use) throw modelInUse(model, { by: use.purpose, used: use.model });
    await unload(model, signal);
  }
}

function modelInUse(model: string, { by, used }: { by: 'run' | SlotPurpose; used: string }): AppError {
  const isOwn = isSameModel(used, model);
  const named = isOwn ? model : `${used}, which shares the runner of ${model}`;
  const messages = {
    run: `A run is using ${named}.`,
    rerun: `A call that is sent again is using ${named}.`,
    benchmark: `A benchmark is using ${named}.`,
    rating: `A text is being rated by ${named}.`,
    check: `${named}${isOwn ? '' : ','} is being checked.`,
  };
  return new AppError({
    code: 'model_in_use',
    message: messages[by],
    hint: 'Stop it first, or wait until it has ended.',
  });
}
