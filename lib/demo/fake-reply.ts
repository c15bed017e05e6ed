import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../util/json.ts';
import type { Fault, pace, scenarioReply } from './scenario.ts';

type Reply = z.infer<typeof scenarioReply>;
type Pace = z.infer<typeof pace>;

/** Everything that determines one answer to `/api/chat`. */
export interface ReplyPlan {
  model: string;
  /** `remote_host` and `remote_model` of each line, for a remote model. */
  remote: JsonObject;
  reply: Reply;
  fault: Fault | undefined;
  pace: Pace;
  streamed: boolean;
  promptTokens: number;
  /** Maximum reply tokens: `num_predict`, or the rest of the window. */
  maxTokens: number;
  loadMs: number;
  /** Where the reply is held until a test releases it. */
  hold?: { afterTokens: number; released: Promise<void> };
  /** Aborted when the client disconnects. */
  gone: AbortSignal;
}

/** Splits text into tokens like a small model: a word or part of one. */
function tokensOf(text: string): string[] {
  return text.match(/\s*\S{1,5}|\s+/gu) ?? [];
}

/** Sends the reply, complete or faulty, and ends the response. Returns early if the client disconnects. */
export async function sendReply(res: ServerResponse, plan: ReplyPlan): Promise<void> {
  const startedAt = performance.now();
  const { fault } = plan;
  if (fault && (await sendBrokenFromTheStart(res, plan, fault))) return;
  await wait(plan.pace.prompt_ms ?? 0, plan.gone);
  if (plan.hold && (!plan.streamed || plan.hold.afterTokens === 0)) {
    await unlessGone(plan.hold.released, plan.gone);
  }
  const written = write(plan);
  const perToken = plan.pace.ms_per_token ?? 0;
  const last = () => lastLine(plan, written, performance.now() - startedAt);
  if (!plan.streamed) return sendWhole(res, plan, written, last);

  res.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const stopAfter = fault && 'after_tokens' in fault ? fault.after_tokens : Number.POSITIVE_INFINITY;
  const lines = written.pieces.map((piece) => line(plan, piece, { done: false }));
  const shown = lines.slice(0, stopAfter);
  if (perToken === 0 && !plan.hold) {
    if (shown.length > 0) res.write(shown.join(''));
  } else {
    for (const [index, text] of shown.entries()) {
      if (index === plan.hold?.afterTokens) await unlessGone(plan.hold.released, plan.gone);
      res.write(text);
      await wait(perToken, plan.gone);
    }
  }
  if (fault) return breakOff(res, plan, fault);
  res.end(`${JSON.stringify(last())}\n`);
}

interface Written {
  /** Messages of the streamed lines, except the last. */
  pieces: JsonObject[];
  message: JsonObject;
  /** Calls in the last line of a streamed reply. */
  lastCalls: JsonValue[];
  tokens: number;
  cut: boolean;
}

/** Generates the reply within the limit: thinking, then text, then calls, like a model. */
function write(plan: ReplyPlan): Written {
  const { reply } = plan;
  let left = plan.maxTokens;
  const take = (text: string) => {
    const tokens = tokensOf(text).slice(0, Math.max(0, left));
    left -= tokens.length;
    return tokens;
  };
  const thinking = take(reply.thinking ?? '');
  const content = take(reply.content);
  const whole = tokensOf(reply.thinking ?? '').length + tokensOf(reply.content).length;
  const callTokens = reply.tool_calls.reduce(
    (sum, call) => sum + Math.ceil(JSON.stringify(call).length / 4),
    0,
  );
  const cut = whole + callTokens > plan.maxTokens;
  const calls: JsonValue[] = cut
    ? []
    : reply.tool_calls.map((call, index) => ({
        id: callId(call.name, index, call.arguments),
        function: { index, name: call.name, arguments: call.arguments },
      }));

  const pieces: JsonObject[] = [
    ...thinking.map((text) => ({ role: 'assistant', content: '', thinking: text })),
    ...content.map((text) => ({ role: 'assistant', content: text })),
  ];
  placeCalls(pieces, calls, reply.calls_in);
  return {
    pieces,
    message: {
      role: 'assistant',
      content: content.join(''),
      ...(thinking.length > 0 && { thinking: thinking.join('') }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    lastCalls: reply.calls_in === 'last-line' ? calls : [],
    tokens: cut ? plan.maxTokens : whole + callTokens + 1, // the end token counts, so silence is 1
    cut,
  };
}

function placeCalls(pieces: JsonObject[], calls: JsonValue[], where: Reply['calls_in']): void {
  if (calls.length === 0 || where === 'last-line') return;
  const piece = (tool_calls: JsonValue[]): JsonObject => ({ role: 'assistant', content: '', tool_calls });
  if (where === 'first') pieces.unshift(piece(calls));
  else if (where === 'middle') pieces.splice(Math.ceil(pieces.length / 2), 0, piece(calls));
  else if (where === 'spread') pieces.push(...calls.map((call) => piece([call])));
  else pieces.push(piece(calls));
}

/** The same call always has the same ID, so that repeated replies are identical. */
function callId(name: string, index: number, args: JsonObject): string {
  const hash = createHash('sha256')
    .update(`${index} ${name} ${JSON.stringify(args)}`)
    .digest('hex');
  return `call_${hash.slice(0, 8)}`;
}

function line({ model, remote }: ReplyPlan, message: JsonObject, { done }: { done: boolean }): string {
  return `${JSON.stringify({ model, ...remote, created_at: new Date().toISOString(), message, done })}\n`;
}

function lastLine(plan: ReplyPlan, written: Written, ms: number): JsonObject {
  const { reply } = plan;
  const promptMs = plan.pace.prompt_ms ?? 0;
  const message: JsonObject = { role: 'assistant', content: '' };
  if (written.lastCalls.length > 0) message.tool_calls = written.lastCalls;
  return {
    model: plan.model,
    ...plan.remote,
    created_at: new Date().toISOString(),
    message,
    done: plan.fault?.kind !== 'no-done',
    done_reason: reply.done_reason ?? (written.cut ? 'length' : 'stop'),
    total_duration: nanoseconds(ms + plan.loadMs),
    load_duration: nanoseconds(plan.loadMs),
    ...(reply.prompt_eval_count !== null && {
      prompt_eval_count: reply.prompt_eval_count ?? plan.promptTokens,
    }),
    ...(reply.prompt_eval_cached_count !== undefined && {
      prompt_eval_cached_count: reply.prompt_eval_cached_count,
    }),
    prompt_eval_duration: nanoseconds(promptMs),
    ...(reply.eval_count !== null && { eval_count: reply.eval_count ?? written.tokens }),
    eval_duration: nanoseconds(Math.max(0, ms - promptMs)),
  };
}

function nanoseconds(ms: number): number {
  return Math.round(ms * 1_000_000);
}

async function sendWhole(
  res: ServerResponse,
  plan: ReplyPlan,
  written: Written,
  last: () => JsonObject,
): Promise<void> {
  await wait(written.tokens * (plan.pace.ms_per_token ?? 0), plan.gone);
  const body = JSON.stringify({ ...last(), message: written.message });
  const { fault } = plan;
  if (!fault || fault.kind === 'no-done') return sendJson(res, 200, body);
  if (fault.kind === 'error-line' || fault.kind === 'malformed-call') {
    return sendJson(res, 500, JSON.stringify({ error: fault.error }));
  }
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.write(body.slice(0, Math.floor(body.length / 2)));
  return breakOff(res, plan, fault);
}

/** Applies the fault where the reply stops. */
async function breakOff(res: ServerResponse, plan: ReplyPlan, fault: Fault): Promise<void> {
  switch (fault.kind) {
    case 'close':
      await flushed(res);
      res.socket?.destroy();
      return;
    case 'reset':
      await flushed(res);
      res.socket?.resetAndDestroy();
      return;
    case 'error-line':
    case 'malformed-call':
      res.end(`${JSON.stringify({ error: fault.error })}\n`);
      return;
    case 'broken-line':
      res.end('{"message": {"role"\n');
      return;
    case 'no-done':
      res.end();
      return;
    default:
      await forever(plan.gone);
  }
}

/** Faults that replace the reply. Returns whether one was sent. */
async function sendBrokenFromTheStart(res: ServerResponse, plan: ReplyPlan, fault: Fault): Promise<boolean> {
  const { gone } = plan;
  if ('after_tokens' in fault && fault.after_tokens > 0) return false;
  switch (fault.kind) {
    case 'no-done':
      return false;
    case 'error-line':
    case 'malformed-call':
      sendJson(res, 500, JSON.stringify({ error: fault.error }));
      return true;
    case 'cut-json': {
      const body = JSON.stringify({
        model: plan.model,
        message: { role: 'assistant', content: 'cut in half' },
        done: true,
      });
      sendJson(res, 200, `${body.slice(0, body.length / 2)}${plan.streamed ? '\n' : ''}`);
      return true;
    }
    case 'endless':
      await sendEndless(res, fault, plan);
      return true;
    case 'huge-line':
      await sendHugeLine(res, fault.bytes, plan);
      return true;
    case 'trickle': {
      const body = line(plan, { role: 'assistant', content: plan.reply.content }, { done: true });
      res.writeHead(200, { 'content-type': 'application/x-ndjson' });
      for (const byte of Buffer.from(body)) {
        res.write(Buffer.of(byte));
        await wait(fault.interval_ms, gone);
      }
      res.end();
      return true;
    }
    default:
      await sendPlainFault(res, fault, gone);
      return true;
  }
}

/** Faults that do not depend on the conversation and work for any path. */
export async function sendPlainFault(res: ServerResponse, fault: Fault, gone: AbortSignal): Promise<void> {
  switch (fault.kind) {
    case 'hang':
      if (fault.headers) res.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders();
      return forever(gone);
    case 'close':
      res.socket?.destroy();
      return;
    case 'reset':
      res.socket?.resetAndDestroy();
      return;
    case 'http': {
      const text = typeof fault.body === 'string';
      res.writeHead(fault.status, {
        'content-type':
          fault.content_type ?? (text ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'),
        ...(fault.location !== undefined && { location: fault.location }),
      });
      res.end(text ? fault.body : JSON.stringify(fault.body));
      return;
    }
    case 'busy':
      return sendJson(
        res,
        503,
        '{"error":"server busy, please try again.  maximum pending requests exceeded"}',
      );
    case 'not-json':
      return sendJson(res, 200, 'not json');
    case 'cut-json':
      return sendJson(res, 200, '{"models":[{"name":"cu');
    case 'html':
      res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      res.end('<!doctype html>\n<html><head><title>Router login</title></head><body>Welcome</body></html>\n');
      return;
    default:
      return sendJson(res, 500, JSON.stringify({ error: `the fault ${fault.kind} needs a chat` }));
  }
}

export function sendJson(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}

async function sendEndless(
  res: ServerResponse,
  fault: Extract<Fault, { kind: 'endless' }>,
  plan: ReplyPlan,
): Promise<void> {
  const { streamed, gone } = plan;
  res.writeHead(200, { 'content-type': streamed ? 'application/x-ndjson' : 'application/json' });
  if (!streamed) res.write('{"message":{"role":"assistant","content":"');
  const limit = fault.bytes ?? Number.POSITIVE_INFINITY;
  for (let sent = 0, turn = 0; sent < limit && !gone.aborted; turn += 1) {
    const word = turn % 2 === 0 ? 'tick ' : 'tock ';
    const piece = streamed
      ? line(plan, { role: 'assistant', content: word.repeat(fault.words) }, { done: false })
      : word.repeat(400);
    const batch = fault.interval_ms === 0 && streamed ? piece.repeat(50) : piece;
    sent += batch.length;
    if (!res.write(batch)) await drained(res, gone);
    if (fault.interval_ms > 0) await wait(fault.interval_ms, gone);
  }
  res.end();
}

async function sendHugeLine(
  res: ServerResponse,
  bytes: number,
  { model, streamed, gone }: ReplyPlan,
): Promise<void> {
  res.writeHead(200, { 'content-type': streamed ? 'application/x-ndjson' : 'application/json' });
  res.write(`{"model":"${model}","message":{"role":"assistant","content":"`);
  const block = 'x'.repeat(64 * 1024);
  for (let sent = 0; sent < bytes && !gone.aborted; sent += block.length) {
    if (!res.write(block)) await drained(res, gone);
  }
  res.end('"},"done":true,"done_reason":"stop"}\n');
}

async function drained(res: ServerResponse, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return;
  await new Promise<void>((resolve) => {
    res.once('drain', resolve);
    gone.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Bytes written just before a socket is destroyed would be lost without this. */
async function flushed(res: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => res.write('', () => resolve()));
}

async function forever(gone: AbortSignal): Promise<void> {
  if (gone.aborted) return;
  await new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve(), { once: true }));
}

/** Waits; throws an `AbortError` when the client disconnects. */
export async function wait(ms: number, gone: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal: gone });
}

/** Waits for a promise; throws an `AbortError` when the client disconnects. */
export async function unlessGone(promise: Promise<void>, gone: AbortSignal): Promise<void> {
  await Promise.race([promise, forever(gone)]);
  gone.throwIfAborted();
}
