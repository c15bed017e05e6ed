import { setTimeout as delay } from 'node:timers/promises';
import type { ChatRequest, MemoryModel } from './chat-model.ts';
import { type LetGo, ModelError } from './model-error.ts';
import { aborted, callOllama, type OllamaConnection } from './ollama-connection.ts';
import { findRunning, keepAliveForLoad, unloadModel } from './ollama-models.ts';
import { versionReply } from './ollama-wire.ts';

/** What the question for a slot has to share with the calls of a run, so that it neither reloads the model nor changes its stay. */
type SlotOf = Pick<ChatRequest, 'model' | 'options' | 'keepAlive'>;

/** How long after a broken call the server is asked whether it is idle, and how often. */
const IDLE_WITHIN_MS = 1000;
const IDLE_LOOK_MS = 60;
/** How long a question for a slot may take, and five times what a free slot needs to split the prompt: 15 ms were measured for 4096. */
const ANSWER_WITHIN_MS = 1500;
const ANSWER_MS_PER_TOKEN = 0.02;
/** So many questions in a row have to stay without an answer although nobody uses the model. */
const QUESTIONS = 2;
/** Unloading goes on after its answer, until the memory of the graphics card is seen to be free. */
const UNLOADED_WITHIN_MS = 6000;
/** From here on `/api/generate` refuses a prompt that is too long instead of cutting it. */
const REFUSING_VERSION = [0, 13] as const;

/** The runners of other formats would read it, too. */
const REFUSING_FORMAT = 'gguf';
/** Runners may round the window up. */
const PADDING_TOKENS = 512;

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** Ollama's longest duration, 2^63 - 1 nanoseconds: how far ahead it sets the end of a stay for ever. */
const FOR_EVER_MS = (2 ** 63 - 1) / 1e6;
/** Clocks that are read one after the other, and the seconds of an HTTP date. Less than a question takes that stays without an answer. */
const TOLERANCE_MS = 1000;

/**
 * Sees to it that a call which was broken off leaves nothing behind. The socket is closed already; this asks whether the
 * server noticed, and whether the slot of the call takes another one. A server that lost the slot is helped: Ollama can
 * be left waiting for a reader of the reply that was broken off, and then no request to that model is ever answered,
 * until it is unloaded (seen with 0.17.4 in 8 of 970 stops of a streamed reply).
 *
 * @param onIdle called once the server noticed, before the slot is asked for
 * @returns nothing where the server does not say whether it let go
 */
export async function seeLetGo(
  connection: OllamaConnection,
  slot: SlotOf,
  onIdle?: () => void,
): Promise<LetGo | undefined> {
  const since = performance.now();
  const isIdle = await isSeenIdle(connection, slot);
  if (!isIdle) return undefined;
  onIdle?.();
  const state = await freeSlot(connection, slot);
  return state === 'busy'
    ? undefined
    : { afterMs: performance.now() - since, unloaded: state === 'unloaded' };
}

/**
 * Asks a model in memory for something that costs it nothing, and unloads it when no answer comes although nobody uses it. Asked
 * twice: the first question may have waited for somebody whose reply ended just after it.
 *
 * @returns `free`, also where it cannot be told
 * @throws {ModelError} `aborted`
 */
export async function freeSlot(
  connection: OllamaConnection,
  slot: SlotOf,
  signal?: AbortSignal,
): Promise<'free' | 'busy' | 'unloaded'> {
  for (let asked = 0; asked < QUESTIONS; asked++) {
    if (await answers(connection, slot, signal)) return 'free';
    const isIdle = await isSeenIdle(connection, slot, signal);
    if (signal?.aborted) throw aborted();
    if (!isIdle) return 'busy';
  }
  try {
    await unloadModel(connection, slot.model, signal);
  } catch (error) {
    if (signal?.aborted) throw aborted();
    // Whatever keeps it in memory, the next call meets it and says so.
    if (error instanceof ModelError) return 'busy';
    throw error;
  }
  await waitUntilGone(connection, slot.model, signal);
  return 'unloaded';
}

/** A load that comes while the server still unloads would get the very slot that is lost. */
async function waitUntilGone(
  connection: OllamaConnection,
  model: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const limit = withLimit(signal, UNLOADED_WITHIN_MS);
  try {
    while (await findRunning(connection, model, limit))
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

/** How long a question may take whose prompt has a token more than the window, in milliseconds. */
export function answerWithinMs(windowTokens: number): number {
  return Math.ceil(ANSWER_WITHIN_MS + windowTokens * ANSWER_MS_PER_TOKEN);
}

/**
 * Whether the slot of a model takes a request. Asked with a prompt that cannot fit its window: Ollama refuses it once a slot is
 * free, before the model or the cache of the last conversation is touched.
 *
 * @returns `true` also where it cannot be told: the model is not in memory, or has another runner, the server is too old or gone
 */
async function answers(
  connection: OllamaConnection,
  { model, options, keepAlive }: SlotOf,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const timeoutMs = answerWithinMs(options.num_ctx);
  const limit = withLimit(signal, timeoutMs);
  const asked = { signal: limit, timeoutMs, onTimeout: silent };
  try {
    const running = await findRunning(connection, model, limit);
    if (running?.format !== REFUSING_FORMAT) return true;
    connection.known.version ??= versionReply.parse(
      await callOllama(connection, asked, ({ client }) => client.version()),
    ).version;
    if (!refusesLongPrompts(connection.known.version)) return true;
    const body = {
      model,
      // Each word is at least one token, whatever the model's vocabulary.
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

/** Whether the server says within a second that it is done with the model. */
async function isSeenIdle(
  connection: OllamaConnection,
  { model, keepAlive }: SlotOf,
  signal?: AbortSignal,
): Promise<boolean> {
  const since = performance.now();
  const limit = withLimit(signal, IDLE_WITHIN_MS);
  try {
    let before = await findRunning(connection, model, limit);
    while (before) {
      await delay(IDLE_LOOK_MS, undefined, { signal: limit });
      const now = await findRunning(connection, model, limit);
      const sinceMs = performance.now() - since;
      // While a request is at work, Ollama counts the time to stay from each question anew, or not at all.
      if (now && isLetGo(before, now, { keepAlive: keepAliveForLoad(keepAlive), sinceMs })) break;
      before = now;
    }
    return true;
  } catch (error) {
    if (limit.aborted || error instanceof ModelError) return false;
    throw error;
  }
}

/**
 * A time to stay as Ollama reads it, in milliseconds: seconds, or a duration such as `5m` or `1h30m`, or negative for ever;
 * `undefined` for what is neither.
 */
export function keepAliveMs(keepAlive: string | number): number | undefined {
  const text = String(keepAlive);
  const [, sign, parts = ''] =
    /^([-+]?)((?:\d+\.?\d*(?:ns|us|µs|ms|s|m|h))+|\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  let ms = 0;
  for (const [, amount, unit = 's'] of parts.matchAll(/(\d+\.?\d*)(ns|us|µs|ms|s|m|h)?/g)) {
    ms += Number(amount) * (UNITS_MS[unit] ?? 1000);
  }
  return sign === '-' && ms > 0 ? FOR_EVER_MS : ms;
}

/**
 * Whether the server is done with the request that was just ended: the moment at which it will unload the model stands still,
 * and is the one that the end of a request since then has set. One that is older belongs to a request before, and another one
 * is still at work; so it does where it lies further ahead than ours sets it, since another client asked for a longer stay.
 *
 * @param about.sinceMs how long ago the request was ended
 */
export function isLetGo(
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

function refusesLongPrompts(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [leastMajor, leastMinor] = REFUSING_VERSION;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function silent(): ModelError {
  return new ModelError({ kind: 'timeout', message: 'The slot of the model did not answer.' });
}
