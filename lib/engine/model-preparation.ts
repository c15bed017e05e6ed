import { errorParts } from '../errors/app-error.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import { requestedWindow } from '../events/window.ts';
import type { LoadedModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { afterFailedPreparation, type Failure } from '../policies/failure.ts';
import { imagesUnseen } from '../policies/unseen-images.ts';
import { durationWords } from '../util/durations.ts';
import { formatCount } from '../util/numbers.ts';
import { conclude } from './conclude.ts';
import type { LoopContext } from './loop-context.ts';
import { ResidencyCheck } from './residency-check.ts';

/** Checks the server and the model, loads the model, and loads it again when it is no longer as the run needs it. */
export class ModelPreparation {
  readonly #context: LoopContext;
  readonly #residency: ResidencyCheck;
  #warnedOfChanges = false;

  constructor(context: LoopContext) {
    this.#context = context;
    this.#residency = new ResidencyCheck(context.model, context.abort);
  }

  /** Asks the server for its version and the model's details, and opens the tools meanwhile. */
  check(): Promise<void> {
    return this.#prepare(() => this.#check());
  }

  /** Loads the model after the check, or again after a failure. @param waitedMs a wait for a slot before the check */
  load(numCtx: number, waitedMs: number): Promise<void> {
    return this.#prepare(() => this.#load(numCtx, waitedMs > 0 ? { waited_ms: waitedMs } : {}));
  }

  /** Loads the model after others may have used the server. @param waitedMs the wait for the slot, not run time */
  reload(waitedMs: number): Promise<void> {
    const { loaded } = this.#context.log.state;
    return this.#prepare(async () => {
      const { unlisted } = await this.#load(requestedWindow(this.#context.ready()), { waited_ms: waitedMs });
      if (loaded && !unlisted) await this.#warnOfChanges();
    });
  }

  /**
   * Reloads the model if another client unloaded it or loaded it with another window.
   *
   * @param slotFreed whether the last call failed and the model was unloaded to free its slot
   * @returns whether the next action must be determined again
   */
  async reloadIfChanged({ slotFreed }: { slotFreed: boolean }): Promise<boolean> {
    const state = this.#context.ready();
    const change = await this.#residency.findChange(state);
    if (!change) return false;
    const why = change.cause === 'unloaded' && slotFreed ? { cause: 'slot_freed' as const } : change;
    await this.#prepare(() => this.#load(requestedWindow(state), why));
    return true;
  }

  /** Runs a preparation step. A server failure is handled like that of a call. */
  async #prepare(step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const state = this.#context.ready();
      // A stop comes first, as after a failed call, and lets the calls of a reply finish.
      if (this.#context.abort.aborted || state.stop) return;
      const verdict = afterFailedPreparation(state, failureOf(error), this.#context.now());
      await this.#context.appendAndWait(
        verdict.type === 'append' ? verdict : conclude(state, verdict.ending),
      );
    }
  }

  async #check(): Promise<void> {
    const { model, mode } = this.#context;
    const { config } = this.#context.ready();
    const operatorModel = config.operator_policy === 'model' ? config.operator_model : undefined;
    const asked = {
      server: model.ping(this.#context.abort),
      details: model.show(config.model, this.#context.abort),
      // Without it, every message of the agent would go unanswered.
      operator: operatorModel === undefined ? undefined : model.show(operatorModel, this.#context.abort),
      tools: mode.usesTools ? this.#context.openTools() : undefined,
    };
    // The first failure in this order is reported, whichever comes first.
    for (const answer of [asked.details, asked.operator, asked.tools]) answer?.catch(() => {});
    const server = await asked.server;
    const details = await asked.details;
    await asked.operator;
    const tools = await asked.tools;
    const sandbox = tools?.sandbox ?? {
      available: false,
      kind: 'none',
      reason: 'This run uses no tools.',
    };
    const events: NewEvent[] = [
      {
        type: 'preflight.checked',
        server_version: server.version,
        capabilities: details.capabilities && [...details.capabilities],
        max_context_tokens: details.maxContextTokens,
        parameter_size: details.parameterSize,
        quantization: details.quantization,
        digest: details.digest,
        ...(details.templateHash === undefined ? {} : { template_hash: details.templateHash }),
        size_bytes: details.sizeBytes,
        ...(details.remote && { remote_host: details.remote.host }),
        sandbox,
        ...(tools?.mcpServers?.length ? { mcp_servers: tools.mcpServers } : {}),
      },
    ];
    const hasImages = config.images || this.#context.log.state.messages.some(({ images }) => images);
    if (hasImages && !details.capabilities?.includes('vision')) events.push(imagesUnseen(config.model));
    if (details.maxContextTokens !== undefined && details.maxContextTokens < config.window_tokens) {
      events.push({
        type: 'policy.warned',
        code: 'window_lowered',
        message: `${config.model} holds at most ${formatCount(details.maxContextTokens)} tokens: the window is ${formatCount(details.maxContextTokens)} instead of ${formatCount(config.window_tokens)}.`,
      });
    }
    this.#context.append(events);
  }

  /** @param why the cause of a load during a run: a wait for its slot, or other clients that unloaded the model */
  async #load(
    numCtx: number,
    why: Pick<EventOf<'model.load-started'>, 'cause' | 'found_context_tokens' | 'waited_ms'> = {},
  ): Promise<LoadedModel> {
    const { config, loaded: before, preflight } = this.#context.ready();
    this.#context.append([{ type: 'model.load-started', model: config.model, num_ctx: numCtx, ...why }]);
    const loaded = await this.#context.model.load(
      { model: config.model, numCtx, keepAlive: config.keep_alive, options: config.model_options },
      {
        signal: this.#context.abort,
        timeoutMs: config.load_timeout_ms,
        onProgress: ({ sizeBytes, vramBytes }) =>
          this.#context.log.delta({ type: 'load', size_bytes: sizeBytes, vram_bytes: vramBytes }),
      },
    );
    const isReplaced = preflight?.digest !== undefined && loaded.digest !== preflight.digest;
    const replaced = isReplaced ? loaded.digest : undefined;
    const events: NewEvent[] = [
      {
        type: 'model.loaded',
        already_loaded: loaded.alreadyLoaded,
        load_ms: loaded.loadMs,
        context_tokens: loaded.contextTokens,
        size_bytes: loaded.sizeBytes,
        vram_bytes: loaded.vramBytes,
        ...(loaded.freedSlot && { freed_slot: true }),
        ...(loaded.remoteHost !== undefined && { remote_host: loaded.remoteHost }),
        ...(replaced !== undefined && { digest: replaced }),
      },
    ];
    if (replaced !== undefined && replaced !== before?.digest) {
      events.push({
        type: 'policy.warned',
        code: 'model_replaced',
        message:
          `${config.model} is no longer the model that this run began with: it was pulled or created again. ` +
          'The run continues with the new version, which may answer differently.',
      });
    }
    if (loaded.unlisted && !before) {
      events.push({
        type: 'policy.warned',
        code: 'memory_unknown',
        message:
          'The server does not list the models in memory (/api/ps answers 404). Whether the model was already loaded, ' +
          'its window and its share on the GPU are unknown.',
      });
    }
    if (loaded.contextTokens !== undefined && loaded.contextTokens < requestedWindow(this.#context.ready())) {
      events.push({
        type: 'policy.warned',
        code: 'window_smaller_than_asked',
        message: `Ollama loaded the model with a window of ${formatCount(loaded.contextTokens)} tokens instead of ${formatCount(numCtx)}.`,
      });
    }
    this.#context.append(events);
    this.#residency.noteLoad();
    return loaded;
  }

  /** Warns once that runs with other models make Ollama reload this one repeatedly, and what a reload costs. */
  async #warnOfChanges(): Promise<void> {
    const { loaded, config } = this.#context.ready();
    if (this.#warnedOfChanges || !loaded || loaded.already_loaded || loaded.remote_host) return;
    this.#warnedOfChanges = true;
    this.#context.append([
      {
        type: 'policy.warned',
        code: 'models_take_turns',
        message:
          `While this run yielded to others, Ollama unloaded ${config.model}. Reloading it took ` +
          `${durationWords(loaded.load_ms)}. While runs with different models take turns, each switch reloads a model. ` +
          'Stop one of them, or use the same model for all.',
      },
    ]);
  }
}

function failureOf(error: ModelError): Failure {
  return { kind: error.kind, transient: error.transient, ...errorParts(error) };
}
