import { setTimeout as delay } from 'node:timers/promises';
import type { BenchmarkEvidence, BenchmarkResult } from '../api/benchmark.ts';
import { boundedJson, boundedText } from '../checks/bounded.ts';
import { readCalls } from '../engine/read-calls.ts';
import type { FunctionCase } from '../function-calling/function-case.ts';
import { type Judgment, judgeReply } from '../function-calling/judge-reply.ts';
import { plainValue, pythonValue } from '../function-calling/python-value.ts';
import { toolDefinitions } from '../function-calling/tool-definitions.ts';
import type { ChatModel, ChatReply, ChatRequest, ModelOptions } from '../model/chat-model.ts';
import { ModelError, type ModelErrorKind } from '../model/model-error.ts';
import { wireRequest } from '../model/wire-request.ts';
import { originOf } from '../parser/call-origin.ts';
import type { ParsedReply } from '../parser/types.ts';
import { asJson, isRecord, type JsonValue } from '../util/json.ts';

const CASE_TIMEOUT_MS = 300_000;
/** Delay before retrying a transient failure, as in a run. */
const RETRY_MS = 1000;
const KEEP_ALIVE = '5m';
const MAX_REASON_CHARS = 2000;

/** Errors that say nothing about the case, and stop the benchmark. */
const STOPS: ReadonlySet<ModelErrorKind> = new Set(['aborted', 'unreachable', 'model_missing']);

interface CaseSettings {
  readonly model: string;
  readonly options: ModelOptions;
  readonly think: boolean;
}

/** A case that was put to a model; the caller adds its position. */
export interface RanCase {
  readonly result: Omit<BenchmarkResult, 'position'>;
  readonly evidence: BenchmarkEvidence;
}

/** The request of a case: its messages as they are, without a prompt of ours. */
function requestOfCase(one: FunctionCase, { model, options, think }: CaseSettings): ChatRequest {
  return {
    model,
    messages: one.messages,
    tools: toolDefinitions(one),
    options,
    think,
    stream: false,
    keepAlive: KEEP_ALIVE,
  };
}

/**
 * Puts a case to a model with one request, and judges the reply twice: by its native calls alone, and as parsed by
 * Loupe. A reply that the server could not read has no calls. Without a reply, for example after a time-out, nothing is
 * judged.
 *
 * @throws {ModelError} on errors that say nothing about the case: stopped, server unreachable, model missing
 */
export async function runCase(
  one: FunctionCase,
  { chat, settings, signal }: { chat: ChatModel; settings: CaseSettings; signal: AbortSignal },
): Promise<RanCase> {
  const request = requestOfCase(one, settings);
  const evidence: BenchmarkEvidence = {
    request: boundedJson(asJson(wireRequest(request))),
    native_calls: [],
    read_calls: [],
    repairs: [],
    refusals: [],
    expected: one.answers.map(plainValue),
  };
  const base = { model: settings.model, category: one.category, case_id: one.id };
  let startedAt = performance.now();
  const duration = () => ({ duration_ms: performance.now() - startedAt });
  let reply: ChatReply;
  try {
    const retrying = () => {
      startedAt = performance.now();
    };
    reply = await ask(chat, request, { signal, retrying });
  } catch (error) {
    if (!(error instanceof ModelError) || STOPS.has(error.kind)) throw error;
    const { code, message, hint, raw } = error;
    const failure = {
      error: { code, message: boundedText(message, MAX_REASON_CHARS), ...(hint && { hint }) },
    };
    const shown = raw === undefined ? evidence : { ...evidence, reply: boundedText(raw) };
    const judged = error.kind === 'malformed_call' && judgeReply(one, []);
    return {
      result: {
        ...base,
        ...failure,
        ...(judged && { native: bounded(judged), read: bounded(judged) }),
        ...duration(),
      },
      evidence: shown,
    };
  }
  const judged = judgeBoth(one, reply, request);
  return {
    result: { ...base, ...judged.result, ...duration() },
    evidence: { ...evidence, ...judged.evidence },
  };
}

/** Judges one reply in both readings. Pure. */
function judgeBoth(one: FunctionCase, reply: ChatReply, request: ChatRequest) {
  const { parsed } = readCalls(reply, { tools: request.tools, numPredict: request.options.num_predict });
  const native = nativeCalls(reply);
  const read = parsed.type === 'tool_calls' ? parsed.calls : [];
  const { layer, format } = parsed.origins[0] ?? {};
  const { promptTokens, replyTokens } = reply;
  const judge = (calls: readonly { name: string; arguments: JsonValue }[]) =>
    bounded(
      judgeReply(
        one,
        calls.map((call) => ({ name: call.name, arguments: pythonValue(call.arguments) })),
      ),
    );
  return {
    result: {
      native: judge(native),
      read: judge(read),
      ...(layer && { layer, format }),
      ...(promptTokens === undefined ? {} : { prompt_tokens: promptTokens }),
      ...(replyTokens === undefined ? {} : { reply_tokens: replyTokens }),
    },
    evidence: {
      reply: boundedJson(
        asJson({ ...reply.message, ...(reply.doneReason && { done_reason: reply.doneReason }) }),
      ),
      native_calls: native.map((call) => ({
        name: boundedText(call.name, 200),
        arguments: boundedJson(call.arguments),
      })),
      ...readingOf(parsed),
    },
  };
}

function readingOf(parsed: ParsedReply): Pick<BenchmarkEvidence, 'read_calls' | 'repairs' | 'refusals'> {
  const calls = parsed.type === 'tool_calls' ? parsed.calls : [];
  return {
    read_calls: calls.map((call, index) => {
      const { layer, format } = originOf(parsed, index);
      const coerced = parsed.coercions.filter((coercion) => coercion.call === index).map(({ path }) => path);
      return {
        name: boundedText(call.name, 200),
        arguments: boundedJson(call.arguments),
        layer,
        format,
        ...(coerced.length > 0 && { coerced: coerced.map((path) => boundedText(path, 200)) }),
      };
    }),
    repairs: parsed.repairs.map(({ rule, before, after }) => ({
      rule,
      before: boundedText(before, 400),
      after: boundedText(after, 400),
    })),
    refusals: parsed.refusals.map(({ reason, message }) => ({ reason, message: boundedText(message, 400) })),
  };
}

/** The calls in Ollama's field, as any program gets them: neither repaired nor fitted to the tools. */
function nativeCalls({ message }: ChatReply): { name: string; arguments: JsonValue }[] {
  return (message.tool_calls ?? []).flatMap((call) => {
    const called = isRecord(call) ? call.function : undefined;
    if (!isRecord(called) || typeof called.name !== 'string') return [];
    return [{ name: called.name, arguments: called.arguments ?? {} }];
  });
}

/** Calls the model, retrying one transient failure. @param retrying called when the second request starts */
async function ask(
  chat: ChatModel,
  request: ChatRequest,
  { signal, retrying }: { signal: AbortSignal; retrying: () => void },
): Promise<ChatReply> {
  const context = { signal, timeoutMs: CASE_TIMEOUT_MS };
  try {
    return await chat.chat(request, context);
  } catch (error) {
    if (!(error instanceof ModelError) || !error.transient) throw error;
    await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    retrying();
    return chat.chat(request, context);
  }
}

function bounded(judgment: Judgment): Judgment {
  return judgment.right ? judgment : { right: false, reason: boundedText(judgment.reason, MAX_REASON_CHARS) };
}
