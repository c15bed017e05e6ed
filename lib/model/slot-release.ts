import { setTimeout as delay } from 'node:timers/promises';
import type { ChatRequest, MemoryModel } from './chat-model.ts';
import { keepAliveForLoad, keepAliveMs } from './keep-alive.ts';
import { ModelError, type SlotRelease } from './model-error.ts';
import { aborted, callOllama, DEFAULT_LIMITS, type OllamaConnection } from './ollama-connection.ts';
import { recentPing, unloadModel } from './ollama-models.ts';
import { RunnerFinder, type RunnerResidency } from './residency.ts';
import { isAtLeast, REFUSES_LONG_PROMPTS } from './server-version.ts';

/**
 * Settings that a slot probe must share with the run's calls, so that it neither reloads the model nor changes its
 * keep-alive.
 */
type SlotOf = Pick<ChatRequest, 'model' | 'options' | 'keepAlive'>;

/** How often to check whether the server is idle after an aborted call. */
const IDLE_LOOK_MS = 60;
/** Five times the time that a free slot needs to tokenize the prompt of a probe (15 ms measured for 4096 tokens). */
const ANSWER_MS_PER_TOKEN = 0.02;
/** Number of consecutive probes that must time out while no one uses the model. */
const QUESTIONS = 2;
/** Unloading continues after the response, until GPU memory is seen to be free. */
const UNLOADED_WITHIN_MS = 6000;
/** Runners of other formats would evaluate the prompt. */
const REFUSING_FORMAT = 'gguf';
/** Runners may round the window up. */
const PADDING_TOKENS = 512;

/**
 * Tolerance for reading two clocks in sequence and for the whole seconds of an HTTP date. Shorter than the timeout of
 * a probe.
 */
const TOLERANCE_MS = 1000;

/**
 * Ensures that an aborted call leaves no occupied slot. The socket is already closed; this checks whether the server
 * noticed, and whether the slot accepts another request. If the slot leaked, it is recovered: Ollama can wait forever
 * for a reader of the aborted reply, and then never answers requests to that model until it is unloaded (seen with
 * 0.17.4 in 8 of 970 stops of a streamed reply).
 *
 * @param onIdle called once the server noticed, before the slot is probed
 * @returns nothing if the server does not report whether it dropped the call
 */
export async function releaseSlotAfterAbort(
  connection: OllamaConnection,
  slot: SlotOf,
  onIdle?: () => void,
): Promise<SlotRelease | undefined> {
  const since = performance.now();
  const isIdle = await isSeenIdle(connection, slot);
  if (!isIdle) return undefined;
  const afterMs = performance.now() - since;
  onIdle?.();
  const state = await freeSlot(connection, slot);
  return state === 'busy' ? undefined : { afterMs, unloaded: state === 'unloaded' };
}

/**
 * Probes the slot of a loaded model without generating tokens, and unloads the model if there is no response although
 * no one uses it. Probes twice, because the first probe may have waited for another client whose reply ended just
 * after it.
 *
 * @param known the model's runner, if the server was just asked
 * @returns `free`, also if it is unknown
 * @throws {ModelError} `aborted`
 */
export async function freeSlot(
  connection: OllamaConnection,
  slot: SlotOf,
  signal?: AbortSignal,
  known?: RunnerResidency,
): Promise<'free' | 'busy' | 'unloaded'> {
  for (let asked = 0; asked < QUESTIONS; asked++) {
    if (await answers(connection, slot, { signal, known: asked === 0 ? known : undefined })) return 'free';
    const isIdle = await isSeenIdle(connection, slot, signal);
    if (signal?.aborted) throw aborted();
    if (!isIdle) return 'busy';
  }
  try {
    await unloadModel(connection, slot.model, signal);
  } catch (error) {
    if (signal?.aborted) throw aborted();
    // Whatever keeps it in memory, the next call will report it.
    if (error instanceof ModelError) return 'busy';
    throw error;
  }
  await waitUntilGone(connection, slot.model, signal);
  return 'unloaded';
}

/** A load during unloading would get the leaked slot. */
async function waitUntilGone(
  connection: OllamaConnection,
  model: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const limit = withLimit(signal, UNLOADED_WITHIN_MS);
  try {
    const finder = new RunnerFinder(connection, model);
    while ((await finder.find(limit)).state === 'loaded')
      await delay(IDLE_LOOK_MS, undefined, { signal: limit });
  } catch (error) {
    if (signal?.aborted) throw aborted();
    if (!limit.aborted && !(error instanceof ModelError)) throw error;
  }
}

function withLimit(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

/** Timeout in milliseconds for a probe whose prompt is one token larger than the window. */
export function answerWithinMs(windowTokens: number, { slotAnswerMs } = DEFAULT_LIMITS): number {
  return Math.ceil(slotAnswerMs + windowTokens * ANSWER_MS_PER_TOKEN);
}

/**
 * Whether a model's slot accepts a request. Sends a prompt that cannot fit the window: Ollama refuses it once a slot
 * is free, before using the model or evicting the prompt cache.
 *
 * @returns `true` also if it is unknown: the model is not in memory or has another runner, or the server is too old
 *   or gone
 */
async function answers(
  connection: OllamaConnection,
  { model, options, keepAlive }: SlotOf,
  { signal, known }: { signal: AbortSignal | undefined; known: RunnerResidency | undefined },
): Promise<boolean> {
  if (known && !canRefuse(known)) return true;
  const timeoutMs = answerWithinMs(options.num_ctx, connection.limits);
  const limit = withLimit(signal, timeoutMs);
  const asked = { signal: limit, timeoutMs, onTimeout: silent, isProbe: true };
  try {
    if (!known && !canRefuse(await new RunnerFinder(connection, model).find(limit))) return true;
    const { version } = await recentPing(connection, limit);
    if (!isAtLeast(version, REFUSES_LONG_PROMPTS)) return true;
    const body = {
      model,
      // Each word is at least one token in any vocabulary.
      prompt: 'a1 '.repeat(options.num_ctx + PADDING_TOKENS),
      raw: true,
      truncate: false,
      shift: false,
      options: { ...options, num_predict: 1 },
      keep_alive: keepAliveForLoad(keepAlive),
      stream: false as const,
    };
    await callOllama(connection, asked, ({ client }) => client.generate(body));
    return true;
  } catch (error) {
    if (error instanceof ModelError) return error.kind !== 'timeout' && error.kind !== 'aborted';
    throw error;
  }
}

/** Whether the runner of a model in memory refuses what its slot cannot take. */
function canRefuse(found: RunnerResidency): boolean {
  return found.state === 'loaded' && found.model.format === REFUSING_FORMAT;
}

/**
 * Whether the server reports in time that it is done with the model. A model that is not listed proves
 * nothing, unless it was listed before or has no keep-alive.
 */
async function isSeenIdle(
  connection: OllamaConnection,
  { model, keepAlive }: SlotOf,
  signal?: AbortSignal,
): Promise<boolean> {
  const since = performance.now();
  const limit = withLimit(signal, connection.limits.idleWithinMs);
  const finder = new RunnerFinder(connection, model);
  try {
    let before = await finder.find(limit);
    if (before.state === 'not_loaded') return keepAliveMs(keepAlive) === 0;
    while (before.state === 'loaded') {
      await delay(IDLE_LOOK_MS, undefined, { signal: limit });
      const now = await finder.find(limit);
      if (now.state === 'not_loaded') return true;
      if (now.state === 'unknown') return false;
      const sinceMs = performance.now() - since;
      // During a request, Ollama restarts the keep-alive with each query, or does not count it.
      if (isRequestOver(before.model, now.model, { keepAlive: keepAliveForLoad(keepAlive), sinceMs }))
        return true;
      before = now;
    }
    return false;
  } catch (error) {
    if (limit.aborted || error instanceof ModelError) return false;
    throw error;
  }
}

/**
 * Whether the server is done with the request that just ended: the model's expiry time no longer moves, and matches a
 * keep-alive started by the end of a request since then. An earlier expiry belongs to a previous request, so another
 * one is still running; a later one means that another client asked for a longer keep-alive.
 *
 * @param about.sinceMs time since the request ended
 */
export function isRequestOver(
  before: Pick<MemoryModel, 'expiresAt'>,
  now: Pick<MemoryModel, 'expiresAt' | 'serverTimeMs'>,
  about: { keepAlive: string | number; sinceMs: number },
): boolean {
  const stay = keepAliveMs(about.keepAlive);
  const expires = Date.parse(now.expiresAt ?? '');
  if (stay === undefined || Number.isNaN(expires) || before.expiresAt !== now.expiresAt) return false;
  const setAgoMs = (now.serverTimeMs ?? Date.now()) + stay - expires;
  return setAgoMs >= -TOLERANCE_MS && setAgoMs <= about.sinceMs + TOLERANCE_MS;
}

function silent(): ModelError {
  return new ModelError({ kind: 'timeout', message: 'The slot of the model did not answer.' });
}
