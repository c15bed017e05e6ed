import { setTimeout as delay } from 'node:timers/promises';
import type { CheckExchange, ProbeResult } from '../api/model-check.ts';
import { verdictOf } from '../api/summarize-check.ts';
import { readCalls } from '../engine/read-calls.ts';
import { errorParts } from '../errors/app-error.ts';
import { readReplyMessage, resultMessage } from '../events/conversation.ts';
import type { ChatMessage, ChatModel, ChatReply, ChatRequest, ModelOptions } from '../model/chat-model.ts';
import { ModelError, type ModelErrorKind } from '../model/model-error.ts';
import { wireRequest } from '../model/wire-request.ts';
import { buildAgenticPrompt } from '../modes/agentic-prompt.ts';
import { originOf } from '../parser/call-origin.ts';
import { isLostCall, swallowedTokens } from '../parser/swallowed-call.ts';
import type { ParsedReply } from '../parser/types.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import { executeTool } from '../tools/execute-tool.ts';
import { asJson } from '../util/json.ts';
import { boundedJson, boundedText } from './bounded.ts';
import type { ProbeTranscript, TranscriptReply } from './probe-transcript.ts';
import type { Probe } from './probes.ts';
import type { Tally } from './tally.ts';

/** Settings common to all probes. */
interface ProbeSettings {
  model: string;
  options: ModelOptions;
  keepAlive: string;
}

/** For all replies of one probe combined. */
const PROBE_TIMEOUT_MS = 90_000;
/** Delay before retrying a transient failure, as in a run. */
const RETRY_MS = 1000;
/** A model that makes more calls at once has lost count; the probe ends there. */
const MAX_CALLS = 8;
/** A longer reply would not fit the window together with the conversation. */
const MAX_REPLY_CHARS = 16_000;
const MAX_SHOWN = 50;

/** Errors that say nothing about the model and end the whole check. */
const ENDS_CHECK: ReadonlySet<ModelErrorKind> = new Set(['aborted', 'unreachable', 'model_missing']);

/** A probe's result, and the kind of failure that ended it, if any. */
interface ProbeOutcome {
  result: ProbeResult;
  failure?: ModelErrorKind;
}

/**
 * Runs a probe. Requests, parsing and tool results use the same code as a run. A failed call ends the probe and is
 * judged as part of it.
 *
 * @throws {ModelError} on errors that say nothing about the model: stopped, server unreachable, model missing
 */
export async function runProbe(
  probe: Probe,
  {
    model,
    settings,
    tally,
    signal,
  }: { model: ChatModel; settings: ProbeSettings; tally: Tally; signal: AbortSignal },
): Promise<ProbeOutcome> {
  const startedAt = performance.now();
  const tools = probe.tools.map(({ definition }) => definition);
  const exchanges: CheckExchange[] = [];
  const replies: TranscriptReply[] = [];
  let failure: ProbeTranscript['failure'];
  let cleanupMs = 0;
  let messages: readonly ChatMessage[] = [
    { role: 'system', content: buildAgenticPrompt({ tools }) },
    { role: 'user', content: probe.task },
  ];
  while (replies.length < probe.maxReplies && !failure) {
    const request: ChatRequest = {
      model: settings.model,
      messages,
      tools,
      options: settings.options,
      think: false,
      stream: true,
      keepAlive: settings.keepAlive,
    };
    const sentAt = performance.now();
    const evidence = { request: boundedJson(asJson(wireRequest(request))) };
    let reply: ChatReply;
    try {
      reply = await ask(model, request, { signal, until: startedAt + PROBE_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof ModelError) || ENDS_CHECK.has(error.kind)) throw error;
      if (error.kind === 'malformed_call') tally.addUnread();
      failure = { kind: error.kind, message: error.message };
      cleanupMs = error.cleanupMs ?? 0;
      const duration_ms = performance.now() - sentAt - cleanupMs;
      exchanges.push({ ...evidence, error: shownError(error), duration_ms });
      break;
    }
    const { parsed, cut } = readCalls(reply, { tools, numPredict: settings.options.num_predict });
    const reading = transcriptReply(parsed, reply, { cut, probe });
    tally.addReply(reply, parsed, reading.malformed);
    exchanges.push({
      ...evidence,
      ...shownReply(reply, parsed, reading),
      duration_ms: performance.now() - sentAt,
    });
    replies.push(reading);
    if (reading.calls.length === 0) break;
    if (reading.calls.length > MAX_CALLS || JSON.stringify(reply.message).length > MAX_REPLY_CHARS) {
      failure = { kind: 'bad_response', message: 'The previous reply was too long to continue.' };
      break;
    }
    messages = [...messages, ...(await answerTo(parsed, probe, signal))];
  }
  const criteria = probe.judge({ replies, failure });
  return {
    failure: failure?.kind,
    result: {
      id: probe.id,
      title: probe.title,
      task: probe.task,
      verdict: verdictOf(criteria),
      criteria,
      exchanges,
      duration_ms: performance.now() - startedAt - cleanupMs,
    },
  };
}

/** Calls the model, retrying one transient failure. */
async function ask(
  model: ChatModel,
  request: ChatRequest,
  { signal, until }: { signal: AbortSignal; until: number },
): Promise<ChatReply> {
  const context = () => ({ signal, timeoutMs: Math.max(1, until - performance.now()) });
  try {
    return await model.chat(request, context());
  } catch (error) {
    if (!(error instanceof ModelError) || !error.transient) throw error;
    await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    return model.chat(request, context());
  }
}

function transcriptReply(
  parsed: ParsedReply,
  reply: ChatReply,
  { cut, probe }: { cut: boolean; probe: Probe },
): TranscriptReply {
  const calls = parsed.type === 'tool_calls' ? parsed.calls : [];
  const thinking = parsed.thinking.trim() !== '';
  const { message, replyTokens } = reply;
  const arrived = { outcome: parsed.type, thinking, message, replyTokens };
  return {
    calls: calls.map(({ name, arguments: args }) => {
      const tool = probe.tools.find(({ definition }) => definition.function.name === name);
      const problems = tool ? validateArguments(args, tool.definition.function.parameters) : [];
      return {
        name,
        arguments: args,
        offered: tool !== undefined,
        problems: problems.map(({ message }) => message),
      };
    }),
    text: parsed.visibleText,
    thought: thinking,
    malformed: parsed.malformed ?? isLostCall({ ...arrived, toolsOffered: probe.tools.length > 0 }),
    swallowedTokens: swallowedTokens(arrived),
    cut,
  };
}

/** The messages to append: the reply as a run stores it, and the results of its calls. */
async function answerTo(parsed: ParsedReply, probe: Probe, signal: AbortSignal): Promise<ChatMessage[]> {
  if (parsed.type !== 'tool_calls') return [];
  const calls = parsed.calls.map((call, index) => ({ ...call, messageId: `c${index + 1}` }));
  const said = readReplyMessage({ text: parsed.visibleText, calls }, undefined);
  const messages = said ? [said] : [];
  for (const call of calls) {
    const result = await executeTool(call.name, call.arguments, '', { tools: probe.tools, signal });
    messages.push(resultMessage(call, result, undefined));
  }
  return messages;
}

function shownReply(
  reply: ChatReply,
  parsed: ParsedReply,
  reading: TranscriptReply,
): Omit<CheckExchange, 'request' | 'duration_ms'> {
  return {
    reply: boundedJson(asJson(reply.message)),
    done_reason: reply.doneReason,
    prompt_tokens: reply.promptTokens,
    reply_tokens: reply.replyTokens,
    read: {
      calls: reading.calls.slice(0, MAX_SHOWN).map((call, index) => {
        const { layer, format } = originOf(parsed, index);
        return {
          name: boundedText(call.name, 200),
          arguments: boundedJson(call.arguments),
          layer,
          format,
          problems: call.problems.slice(0, MAX_SHOWN).map((problem) => boundedText(problem, 400)),
        };
      }),
      text: boundedText(reading.text),
      thinking_chars: parsed.thinking.length,
      repairs: parsed.repairs.slice(0, MAX_SHOWN).map(({ rule, before, after }) => ({
        rule,
        before: boundedText(before, 400),
        after: boundedText(after, 400),
      })),
      coercions: parsed.coercions.slice(0, MAX_SHOWN).map(({ path, before, after }) => ({
        path: boundedText(path, 200),
        before: boundedJson(before),
        ...(after === undefined ? {} : { after: boundedJson(after) }),
      })),
      refusals: parsed.refusals
        .slice(0, MAX_SHOWN)
        .map(({ reason, raw, message }) => ({ reason, raw, message: boundedText(message, 400) })),
      malformed: reading.malformed,
      ...(reading.swallowedTokens > 0 && { swallowed_tokens: reading.swallowedTokens }),
      cut: reading.cut,
    },
  };
}

function shownError({
  code,
  message,
  hint,
  raw,
  partialText,
}: ModelError): NonNullable<CheckExchange['error']> {
  const text = raw ?? partialText;
  return {
    ...errorParts({ code, message: boundedText(message, 2000), hint }),
    ...(text === undefined ? {} : { raw: boundedText(text) }),
  };
}
