import { z } from 'zod';
import type { EventOf, RunEvent } from '../../events/registry.ts';
import { sessionEndReason, sessionEndReasonOf } from '../../events/session-end.ts';
import { swallowedWords } from '../../events/swallowed-reply.ts';
import { toolResult } from '../../events/tool-call.ts';
import type { JsonObject } from '../../util/json.ts';

/** ISO 8601, UTC. */
const timestamp = z.iso.datetime();

/** One line of a session log (S19). Names of events and fields are those of its source; the others are ours. */
export const sessionLogEntry = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('session_start'),
    timestamp,
    model: z.string(),
    workspace: z.string(),
    log_path: z.string().nullable(),
    system_prompt: z.enum(['workspace', 'built-in']),
  }),
  /** A person's message when it reaches the model: the first one or a later one. */
  z.strictObject({ event: z.literal('user_text'), timestamp, text: z.string() }),
  z.strictObject({
    event: z.literal('assistant_text'),
    timestamp,
    text: z.string(),
    /** The text streamed before the call failed. */
    partial: z.literal(true).optional(),
  }),
  z.strictObject({
    event: z.literal('tool_call'),
    timestamp,
    fn_name: z.string(),
    /** The call that ran. */
    fn_arguments: z.record(z.string(), z.json()),
    call_id: z.string(),
    /** The model's own arguments, if a person changed them before the call ran. */
    edited_from: z.record(z.string(), z.json()).optional(),
  }),
  z.strictObject({
    event: z.literal('tool_result'),
    timestamp,
    call_id: z.string(),
    fn_name: z.string(),
    result: toolResult,
  }),
  /** The conversation was handed over to a fresh context, or could not be. */
  z.strictObject({
    event: z.literal('handover'),
    timestamp,
    outcome: z.enum(['done', 'failed']),
    /** The message with the summary, with which the fresh context begins. */
    text: z.string().optional(),
    /** The event of the run's log. */
    seq: z.int().positive(),
  }),
  z.strictObject({ event: z.literal('error'), timestamp, message: z.string() }),
  z.strictObject({
    event: z.literal('session_end'),
    timestamp,
    /** Completed turns (K-31). */
    total_turns: z.int().nonnegative(),
    reason: sessionEndReason,
    /** The reason in a sentence, with the figures that led to it. */
    message: z.string(),
    /** The second stop ended it (S14). */
    forced: z.literal(true).optional(),
  }),
]);
export type SessionLogEntry = z.infer<typeof sessionLogEntry>;

type WithoutTime<E> = E extends SessionLogEntry ? Omit<E, 'timestamp'> : never;
type Body = WithoutTime<SessionLogEntry>;

/**
 * The log of a session as a projection of its events (S19): takes them one by one and returns the lines that each adds.
 * It keeps only what later lines need, not the conversation, so it can follow a session of any length.
 */
export class SessionLogProjection {
  #config: EventOf<'run.created'>['config'] | undefined;
  #started = false;
  #turns = 0;
  #reply: EventOf<'reply.parsed'> | undefined;
  #accepted = false;
  /** The calls of the reply that already have a line. */
  readonly #called = new Set<string>();
  /** Arguments with which a person replaced the model's, by call. */
  readonly #edited = new Map<string, JsonObject>();
  #lastError = '';
  /** Messages that have not reached the model yet, by ID. */
  readonly #queued = new Map<string, string>();

  /** The lines for an event, usually none. A session whose checks failed has no lines at all (S3). */
  take(event: RunEvent): SessionLogEntry[] {
    const bodies = this.#bodies(event);
    if (!this.#started) return [];
    const timestamp = new Date(event.at).toISOString();
    return bodies.map((body) => ({ ...body, timestamp }));
  }

  #bodies(event: RunEvent): Body[] {
    switch (event.type) {
      case 'run.created':
        this.#config = event.config;
        return [];
      case 'attempt.started':
        return this.#start(event);
      case 'reply.parsed':
        this.#reply = event;
        this.#accepted = false;
        this.#called.clear();
        this.#edited.clear();
        return event.swallowed_tokens
          ? [{ event: 'error', message: swallowedWords(event.swallowed_tokens) }]
          : [];
      case 'tool-call.started':
        return this.#call(event);
      case 'approval.decided':
        if (event.arguments) this.#edited.set(event.call_id, event.arguments);
        // A denied call never starts, but its line still precedes its result.
        return event.decision === 'denied' ? this.#call(event) : [];
      case 'run.forked':
        this.#takeEdits(event.edits);
        return [];
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        return [
          // A call that is not run, because the reply contained too many, also has a line before its result.
          ...(this.#called.has(event.call_id) ? [] : this.#call(event)),
          {
            event: 'tool_result',
            call_id: this.#idOf(event.call_id),
            fn_name: event.tool,
            result: event.result,
          },
        ];
      case 'turn.ended':
        this.#turns += 1;
        return event.outcome === 'text' ? this.#text() : [];
      case 'handover.ended': {
        const { outcome, text, seq } = event;
        return [{ event: 'handover', outcome, ...(text === undefined ? {} : { text }), seq }];
      }
      case 'operator.messaged':
        this.#queued.set(event.message_id, event.text);
        return [];
      case 'operator.delivered':
        return event.message_ids.flatMap((id) => this.#said(id));
      case 'model-call.failed':
        this.#lastError = event.error.message;
        return [...partialText(event), { event: 'error', message: event.error.message }];
      case 'run.ended':
        return this.#end(event);
      default:
        return [];
    }
  }

  #start(event: EventOf<'attempt.started'>): Body[] {
    if (this.#started) return [];
    this.#started = true;
    return [
      {
        event: 'session_start',
        model: this.#config?.model ?? '',
        workspace: this.#config?.workspace ?? '',
        log_path: event.log_path ?? null,
        system_prompt: event.system_prompt ?? 'built-in',
      },
      ...(this.#config?.task ? [{ event: 'user_text' as const, text: this.#config.task }] : []),
    ];
  }

  #said(messageId: string): Body[] {
    const text = this.#queued.get(messageId);
    this.#queued.delete(messageId);
    return text === undefined ? [] : [{ event: 'user_text', text }];
  }

  #call(
    event: EventOf<'tool-call.started' | 'tool-call.ended' | 'tool-call.interrupted' | 'approval.decided'>,
  ): Body[] {
    const call = this.#reply?.calls.find((parsed) => parsed.call_id === event.call_id);
    // The text next to the calls joins the conversation with the first call.
    const text = this.#accepted ? [] : this.#text();
    this.#accepted = true;
    this.#called.add(event.call_id);
    const asked = call?.arguments ?? {};
    const edited = this.#edited.get(event.call_id);
    return [
      ...text,
      {
        event: 'tool_call',
        fn_name: event.tool,
        fn_arguments: edited ?? asked,
        call_id: this.#idOf(event.call_id),
        ...(edited ? { edited_from: asked } : {}),
      },
    ];
  }

  /** Edits made in a fork appear as if written by the model, as in the conversation. */
  #takeEdits(edits: EventOf<'run.forked'>['edits']): void {
    for (const edit of edits) {
      const reply = this.#reply;
      if (!reply) return;
      if (edit.target === 'reply') this.#reply = { ...reply, text: edit.after };
      if (edit.target !== 'call') continue;
      const calls = reply.calls.map((call) =>
        call.call_id === edit.call_id ? { ...call, arguments: edit.after } : call,
      );
      this.#reply = { ...reply, calls };
    }
  }

  #text(): Body[] {
    const text = this.#reply?.text ?? '';
    return text.trim() === '' ? [] : [{ event: 'assistant_text', text }];
  }

  #idOf(callId: string): string {
    return this.#reply?.calls.find((call) => call.call_id === callId)?.given_id ?? callId;
  }

  #end(event: EventOf<'run.ended'>): Body[] {
    const reason = sessionEndReasonOf(event.result.termination_reason);
    const failed = reason === 'error' || reason === 'timeout';
    return [
      ...(failed && event.message !== this.#lastError
        ? [{ event: 'error' as const, message: event.message }]
        : []),
      {
        event: 'session_end',
        total_turns: this.#turns,
        reason,
        message: event.message,
        ...(event.forced ? { forced: true as const } : {}),
      },
    ];
  }
}

function partialText(event: EventOf<'model-call.failed'>): Body[] {
  const text = event.visible_text ?? event.partial_text ?? '';
  return text.trim() === '' ? [] : [{ event: 'assistant_text', text, partial: true }];
}

/** A complete session log, page by page. */
export async function* sessionLog(
  pages: AsyncIterable<readonly RunEvent[]>,
): AsyncGenerator<SessionLogEntry[]> {
  const projection = new SessionLogProjection();
  for await (const events of pages) yield events.flatMap((event) => projection.take(event));
}
