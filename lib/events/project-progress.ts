import { certainLength } from '../parser/certain-text.ts';
import { argumentsOfCall } from './call-arguments.ts';
import type { RunDelta } from './delta.ts';
import { foldRun } from './fold-run.ts';
import { noticesOf } from './notices.ts';
import type { ProgressEvent } from './progress.ts';
import type { EventOf, RunEvent } from './registry.ts';
import { emptyRunState, type RunState } from './run-state.ts';
import { summarize } from './summarize.ts';
import { summarizeArgs, summarizeResult } from './tool-summaries.ts';

type WithoutBase<E> = E extends ProgressEvent ? Omit<E, 'run_id' | 'seq' | 'timestamp'> : never;
/** A progress event without number and timestamp. */
export type ProgressBody = WithoutBase<ProgressEvent>;

/** State of the projection: the run so far, and how much of the current reply has been emitted. */
export interface ProgressState {
  readonly run: RunState;
  readonly reply: {
    readonly call: number;
    /** Text as it was streamed. */
    readonly text: string;
    /** How much of `text` was processed and emitted, in UTF-16 units. */
    readonly shown: number;
    readonly thinking: string;
  };
}

const NO_REPLY: ProgressState['reply'] = { call: 0, text: '', shown: 0, thinking: '' };

export function emptyProgress(runId: string): ProgressState {
  return { run: emptyRunState(runId), reply: NO_REPLY };
}

/** Endings for which a guard already emitted a warning (G19). */
const ANNOUNCED = new Set(['final_answer', 'repetition', 'stall']);

/**
 * Projects a log event to progress events (E1, E4, E7, E8). Pure. The `token` events of a reply add up to its whole
 * text, whether it was streamed, partly received, or sent in one piece: any missing rest follows when the reply is
 * complete.
 */
export function projectEvent(
  state: ProgressState,
  event: RunEvent,
): { state: ProgressState; progress: ProgressBody[] } {
  const run = foldRun(state.run, event);
  const rest = restOfReply(state.reply, event, run.iteration);
  const reply = event.type === 'model-call.started' ? { ...NO_REPLY, call: event.call } : state.reply;
  const notices = noticesOf(event, run).map((text) => ({
    type: 'notice' as const,
    text,
    iteration: run.iteration,
  }));
  return { state: { run, reply }, progress: [...rest, ...bodiesOf(event, run), ...notices] };
}

/** Projects streamed text to progress events; a repeated piece gives none. Pure. */
export function projectDelta(
  state: ProgressState,
  delta: RunDelta,
): { state: ProgressState; progress: ProgressBody[] } {
  const nothing = { state, progress: [] };
  if (delta.type !== 'text' && delta.type !== 'thinking') return nothing;
  const { iteration } = state.run;
  const reply = delta.call === state.reply.call ? state.reply : { ...NO_REPLY, call: delta.call };
  const known = reply[delta.type];
  // After a gap, the rest follows when the reply is complete.
  if (delta.call < state.reply.call || delta.offset > known.length) return nothing;
  const fresh = delta.text.slice(known.length - delta.offset);
  if (fresh === '') return nothing;
  if (delta.type === 'thinking') {
    return {
      state: { ...state, reply: { ...reply, thinking: known + fresh } },
      progress: [{ type: 'thinking', text: fresh, iteration }],
    };
  }
  const text = known + fresh;
  const shown = certainLength(text, reply.shown, state.run.tools);
  const before = text.slice(0, reply.shown);
  const token = withoutLeadingSpace(before, text.slice(reply.shown, shown));
  return {
    state: { ...state, reply: { ...reply, text, shown } },
    progress: token === '' ? [] : [{ type: 'token', text: token, iteration }],
  };
}

/** The visible text of a reply has no leading whitespace. */
function withoutLeadingSpace(before: string, text: string): string {
  return before.trim() === '' ? text.trimStart() : text;
}

/** The part of a complete or aborted reply that was not emitted while streaming. */
function restOfReply(reply: ProgressState['reply'], event: RunEvent, iteration: number): ProgressBody[] {
  switch (event.type) {
    case 'reply.parsed': {
      const { text, thinking } = event.call === reply.call ? reply : NO_REPLY;
      const shown = event.call === reply.call ? text.slice(0, reply.shown).trimStart() : '';
      return [
        ...piece('thinking', restAfter(thinking.trimStart(), event.thinking), iteration),
        ...piece('token', unshownText(shown, event.text), iteration),
      ];
    }
    case 'model-call.failed': {
      const shown = reply.text.slice(0, reply.shown).trimStart();
      const partial = (event.visible_text ?? event.partial_text ?? '').trimStart();
      return [
        ...piece('thinking', restAfter(reply.thinking, event.partial_thinking ?? ''), iteration),
        ...piece('token', unshownText(shown, partial), iteration),
      ];
    }
    default:
      return [];
  }
}

/** The text after the given prefix; empty if the prefix differs, because a call was parsed out of the text. */
function restAfter(beginning: string, whole: string): string {
  return whole.startsWith(beginning) ? whole.slice(beginning.length) : '';
}

/**
 * The visible text that was not shown. Shown text can turn out to be something else: thinking whose opening tag was in
 * the prompt, or a call. The visible text then begins on a new line, unless it was shown together with it.
 */
function unshownText(shown: string, whole: string): string {
  if (whole.startsWith(shown)) return whole.slice(shown.length);
  return shown.startsWith(whole) || shown.endsWith(whole) ? '' : `\n${whole}`;
}

function piece(type: 'token' | 'thinking', text: string, iteration: number): ProgressBody[] {
  return text === '' ? [] : [{ type, text, iteration }];
}

function bodiesOf(event: RunEvent, run: RunState): ProgressBody[] {
  const { iteration } = run;
  switch (event.type) {
    case 'run.started':
    case 'run.resumed':
      return [{ type: 'run_started', model: run.config?.model ?? '', resumed: event.type === 'run.resumed' }];
    case 'iteration.started': {
      const limit = run.config?.max_iterations;
      return [{ type: 'iteration_started', iteration, ...(limit ? { limit } : {}) }];
    }
    case 'approval.requested':
      return [
        {
          type: 'status',
          message: `${event.tool} waits for approval.`,
          code: 'awaiting_approval',
          iteration,
        },
      ];
    case 'tool-call.started':
      return [
        {
          type: 'tool_call_started',
          tool_name: event.tool,
          args_summary: summarizeArgs(argumentsOfCall(run, event.call_id)),
          iteration,
        },
      ];
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return [
        {
          type: 'tool_call',
          tool_name: event.tool,
          args_summary: summarizeArgs(argumentsOfCall(run, event.call_id)),
          result_summary: summarizeResult(event.result),
          iteration,
        },
      ];
    case 'server-wait.started':
    case 'server-wait.ended':
      return [{ type: 'status', message: summarize(event), code: event.type, iteration }];
    case 'policy.warned':
      return [{ type: 'status', message: event.message, code: event.code, iteration }];
    case 'run.ended':
      return endOf(event, iteration);
    default:
      return policyBodies(event, iteration);
  }
}

function policyBodies(event: RunEvent, iteration: number): ProgressBody[] {
  switch (event.type) {
    case 'policy.nudged': {
      const { cause, count, limit } = event;
      return [{ type: 'nudge', cause, count, limit, iteration }];
    }
    case 'policy.retried': {
      const { cause, message, wait_ms } = event;
      return [{ type: 'retry', cause, message, wait_ms, iteration }];
    }
    case 'policy.compacted': {
      const { before_tokens, after_tokens } = event;
      return [{ type: 'context_trimmed', before_tokens, after_tokens, iteration }];
    }
    case 'budget.checked': {
      const { tokens_used, tokens_estimated, cost_usd, seconds_used, exceeded } = event;
      return [
        {
          type: 'budget',
          tokens_used,
          ...(tokens_estimated === undefined ? {} : { tokens_estimated }),
          ...(cost_usd === undefined ? {} : { cost_usd }),
          seconds_used,
          ...(exceeded === undefined ? {} : { exceeded }),
          iteration,
        },
      ];
    }
    default:
      return [];
  }
}

function endOf(event: EventOf<'run.ended'>, iteration: number): ProgressBody[] {
  const { status, termination_reason, iterations_used } = event.result;
  const { message } = event;
  const announced = ANNOUNCED.has(termination_reason);
  return [
    ...(announced ? [] : [{ type: 'status' as const, message, code: termination_reason, iteration }]),
    {
      type: 'run_finished',
      status,
      termination_reason,
      ...(event.outcome === undefined ? {} : { outcome: event.outcome }),
      iterations_used,
      message,
    },
  ];
}
