import { setTimeout as delay } from 'node:timers/promises';
import type { CheckExchange, ProbeResult } from '../api/model-check.ts';
import { verdictOf } from '../api/summarize-check.ts';
import { readCalls } from '../engine/read-calls.ts';
import { readReplyMessage, resultMessage } from '../events/conversation.ts';
import type { ChatMessage, ChatModel, ChatReply, ChatRequest, ModelOptions } from '../model/chat-model.ts';
import { ModelError, type ModelErrorKind } from '../model/model-error.ts';
import { wireRequest } from '../model/wire-request.ts';
import { buildAgenticPrompt } from '../modes/agentic-prompt.ts';
import { isSwallowedCall } from '../parser/swallowed-call.ts';
import type { ParsedReply } from '../parser/types.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import { executeTool } from '../tools/execute-tool.ts';
import type { JsonValue } from '../util/json.ts';
import { boundedJson, boundedText } from './bounded.ts';
import type { Probe } from './probes.ts';
import type { Tally } from './tally.ts';
import type { Told, ToldReply } from './told.ts';

/** How every probe is asked. */
interface ProbeSettings {
  model: string;
  options: ModelOptions;
  keepAlive: string;
}

/** All replies of one probe together. */
const PROBE_TIMEOUT_MS = 90_000;
/** Before a call that failed in passing is made once more, as a run does. */
const RETRY_MS = 1000;
/** A model that asks for more at once has lost count; the conversation ends there. */
const MAX_CALLS = 8;
/** A longer reply is no part of a conversation that fits the window. */
const MAX_REPLY_CHARS = 16_000;
const MAX_SHOWN = 50;

/** Errors that say nothing of the model: the whole check ends with them. */
const ENDS_CHECK: ReadonlySet<ModelErrorKind> = new Set(['aborted', 'unreachable', 'model_missing']);

/** What a probe brought: its result, and how its last call failed, if it did. */
interface Played {
  result: ProbeResult;
  failure?: ModelErrorKind;
}

/**
 * Asks a probe: the request, the reading of the reply and the results go the ways of a run. A failed call ends the probe
 * and is part of what is judged.
 *
 * @throws {ModelError} what says nothing of the model: a stop, no server, no such model
 */
export async function playProbe(
  probe: Probe,
  {
    model,
    settings,
    tally,
    signal,
  }: { model: ChatModel; settings: ProbeSettings; tally: Tally; signal: AbortSignal },
): Promise<Played> {
  const startedAt = performance.now();
  const tools = probe.tools.map(({ definition }) => definition);
  const exchanges: CheckExchange[] = [];
  const replies: ToldReply[] = [];
  let failure: Told['failure'];
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
    const evidence = { request: boundedJson(plainJson(wireRequest(request))) };
    let reply: ChatReply;
    try {
      reply = await ask(model, request, { signal, until: startedAt + PROBE_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof ModelError) || ENDS_CHECK.has(error.kind)) throw error;
      if (error.kind === 'malformed_call') tally.addUnread();
      failure = { kind: error.kind, message: error.message };
      exchanges.push({ ...evidence, error: shownError(error), duration_ms: performance.now() - sentAt });
      break;
    }
    const { parsed, cut } = readCalls(reply, { tools, numPredict: settings.options.num_predict });
    const told = tell(parsed, reply, { cut, probe });
    tally.addReply(reply, parsed, told.malformed);
    exchanges.push({
      ...evidence,
      ...shownReply(reply, parsed, told),
      duration_ms: performance.now() - sentAt,
    });
    replies.push(told);
    if (told.calls.length === 0) break;
    if (told.calls.length > MAX_CALLS || JSON.stringify(reply.message).length > MAX_REPLY_CHARS) {
      failure = { kind: 'bad_response', message: 'The reply before was too long to go on with.' };
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
      duration_ms: performance.now() - startedAt,
    },
  };
}

/** A call of the model, made once more when it failed in passing. */
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

function tell(
  parsed: ParsedReply,
  reply: ChatReply,
  { cut, probe }: { cut: boolean; probe: Probe },
): ToldReply {
  const calls = parsed.type === 'tool_calls' ? parsed.calls : [];
  const thinking = parsed.thinking.trim() !== '';
  const { replyTokens } = reply;
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
    malformed: parsed.malformed ?? isSwallowedCall({ outcome: parsed.type, thinking, cut, replyTokens }),
    cut,
  };
}

/** The reply as a run keeps it, and the results of its calls. */
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
  told: ToldReply,
): Omit<CheckExchange, 'request' | 'duration_ms'> {
  return {
    reply: boundedJson(plainJson(reply.message)),
    done_reason: reply.doneReason,
    prompt_tokens: reply.promptTokens,
    reply_tokens: reply.replyTokens,
    read: {
      calls: told.calls.slice(0, MAX_SHOWN).map((call, index) => ({
        name: boundedText(call.name, 200),
        arguments: boundedJson(call.arguments),
        layer: parsed.origins[index]?.layer ?? 'native',
        format: parsed.origins[index]?.format ?? 'native',
        problems: call.problems.slice(0, MAX_SHOWN).map((problem) => boundedText(problem, 400)),
      })),
      text: boundedText(told.text),
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
      malformed: told.malformed,
      cut: told.cut,
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
    code,
    message: boundedText(message, 2000),
    ...(hint === undefined ? {} : { hint }),
    ...(text === undefined ? {} : { raw: boundedText(text) }),
  };
}

/** As it goes over the wire: fields that are undefined are not there. */
function plainJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
