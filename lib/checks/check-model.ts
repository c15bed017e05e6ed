import { type ModelCheck, PROBES_VERSION } from '../api/model-check.ts';
import type { ChatModel, ModelDetails, ModelOptions } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { fullName } from '../model/ollama-models.ts';
import type { CheckStep } from './check-step.ts';
import { PROBES } from './probes.ts';
import { runProbe } from './run-probe.ts';
import { Tally } from './tally.ts';

/** The probes are short; a larger window would only use memory. */
const WINDOW_TOKENS = 8192;
const NUM_PREDICT = 512;
/** A thinking model may think unasked before it answers. */
const THINKING_NUM_PREDICT = 1536;
const SEED = 1;
const KEEP_ALIVE = '5m';
const LOAD_TIMEOUT_MS = 600_000;
/** After this many timeouts in a row, the remaining probes would time out too. */
const MAX_LATE = 2;

/**
 * Runs all probes against a model at temperature 0 with a fixed seed, and judges the replies by rules. The tools
 * return fixed results and have no side effects.
 *
 * @throws {ModelError} on errors that end the check: stopped, server unreachable, model missing, load failed, or
 *   repeated timeouts
 */
export async function checkModel(
  model: ChatModel,
  name: string,
  {
    signal,
    onStep,
    clock = Date.now,
  }: { signal: AbortSignal; onStep: (step: CheckStep) => void; clock?: () => number },
): Promise<ModelCheck> {
  const startedAt = clock();
  const server = await model.ping(signal);
  const details = await model.show(name, signal);
  const options = optionsFor(details);
  onStep({ type: 'loading' });
  const loaded = await model.load(
    { model: name, numCtx: options.num_ctx, keepAlive: KEEP_ALIVE, options: { temperature: 0, seed: SEED } },
    { signal, timeoutMs: LOAD_TIMEOUT_MS },
  );
  const settings = { model: name, options, keepAlive: KEEP_ALIVE };
  const tally = new Tally();
  const probes: ModelCheck['probes'] = [];
  let late = 0;
  for (const probe of PROBES) {
    onStep({ type: 'probe-started', id: probe.id });
    const { result, failure } = await runProbe(probe, { model, settings, tally, signal });
    probes.push(result);
    onStep({ type: 'probe-ended', id: probe.id, verdict: result.verdict, durationMs: result.duration_ms });
    late = failure === 'timeout' ? late + 1 : 0;
    if (late >= MAX_LATE) throw tooSlow(name);
  }
  return {
    model: fullName(name),
    digest: details.digest ?? '',
    probes_version: PROBES_VERSION,
    started_at: startedAt,
    ended_at: clock(),
    conditions: {
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
    },
    measured: tally.counts,
    probes,
  };
}

function optionsFor({ maxContextTokens, capabilities }: ModelDetails): ModelOptions {
  return {
    temperature: 0,
    seed: SEED,
    num_ctx: Math.min(WINDOW_TOKENS, maxContextTokens ?? WINDOW_TOKENS),
    num_predict: capabilities?.includes('thinking') ? THINKING_NUM_PREDICT : NUM_PREDICT,
  };
}

function tooSlow(name: string): ModelError {
  return new ModelError({
    kind: 'timeout',
    message: `${name} did not answer ${MAX_LATE} probes in a row in time.`,
    hint: 'It may be too large for this machine, or Ollama is stuck: restart it, or check a smaller model.',
  });
}
