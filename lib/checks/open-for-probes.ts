import type { ModelCheck } from '../api/model-check.ts';
import type { ChatModel, ModelDetails, ModelOptions } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';

const NUM_PREDICT = 512;
/** A thinking model may think unasked before it answers. */
const THINKING_NUM_PREDICT = 1536;
const SEED = 1;
const KEEP_ALIVE = '5m';
const LOAD_TIMEOUT_MS = 600_000;
/** After this many timeouts in a row, the remaining probes would time out too. */
export const MAX_LATE = 2;

/** Loads a model for probes, at temperature 0 with a fixed seed, and notes the circumstances. */
export async function openForProbes(
  model: ChatModel,
  name: string,
  { signal, windowTokens, onLoading }: { signal: AbortSignal; windowTokens: number; onLoading?: () => void },
) {
  const server = await model.ping(signal);
  const details = await model.show(name, signal);
  const options = optionsFor(details, windowTokens);
  onLoading?.();
  const loaded = await model.load(
    { model: name, numCtx: options.num_ctx, keepAlive: KEEP_ALIVE, options: { temperature: 0, seed: SEED } },
    { signal, timeoutMs: LOAD_TIMEOUT_MS },
  );
  const conditions: ModelCheck['conditions'] = {
    ollama_version: server.version,
    temperature: 0,
    seed: SEED,
    window_tokens: options.num_ctx,
    num_predict: options.num_predict,
    context_tokens: loaded.contextTokens,
    size_bytes: loaded.sizeBytes,
    vram_bytes: loaded.vramBytes,
    load_ms: loaded.alreadyLoaded || loaded.remoteHost !== undefined ? undefined : loaded.loadMs,
    already_loaded: loaded.alreadyLoaded,
    remote_host: loaded.remoteHost,
    capabilities: details.capabilities && [...details.capabilities],
  };
  return { settings: { model: name, options, keepAlive: KEEP_ALIVE }, details, conditions };
}

function optionsFor({ maxContextTokens, capabilities }: ModelDetails, windowTokens: number): ModelOptions {
  return {
    temperature: 0,
    seed: SEED,
    num_ctx: Math.min(windowTokens, maxContextTokens ?? windowTokens),
    num_predict: capabilities?.includes('thinking') ? THINKING_NUM_PREDICT : NUM_PREDICT,
  };
}

/** The error that ends a check after repeated timeouts. */
export function tooSlow(name: string): ModelError {
  return new ModelError({
    kind: 'timeout',
    message: `${name} did not answer ${MAX_LATE} probes in a row in time.`,
    hint: 'It may be too large for this machine, or Ollama is stuck: restart it, or check a smaller model.',
  });
}
