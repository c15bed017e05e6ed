import { argumentsToRun, editedArguments } from '../../events/call-arguments.ts';
import { resultText } from '../../events/conversation.ts';
import { foldRun } from '../../events/fold-run.ts';
import type { EventOf, RunEvent } from '../../events/registry.ts';
import { emptyRunState, type RunState } from '../../events/run-state.ts';
import type { ChatMessage } from '../../model/chat-model.ts';
import { modeOf } from '../../modes/mode-of.ts';
import { isReady } from '../../policies/rule.ts';
import { assertNever } from '../../util/assert-never.ts';
import type { JsonObject } from '../../util/json.ts';

/** One line of an exploration log (X14-X16), in exactly these fields. Messages are shared with the state and never changed. */
export type ExploreLogEntry =
  | {
      run_id: string;
      cycle_number: number;
      event_type: 'LLM_INVOCATION';
      payload: {
        prompt_messages: readonly ChatMessage[];
        response_message: EventOf<'model-call.ended'>['message'] | null;
        partial?: true;
        model_options: EventOf<'model-call.started'>['options'];
      };
    }
  | {
      run_id: string;
      cycle_number: number;
      event_type: 'TOOL_CALL';
      payload: {
        tool_name: string;
        parameters: JsonObject;
        output: string;
        edited_from?: JsonObject;
      };
    };

/**
 * The log of an exploration as a projection of its events: every model call with what was sent and received, every tool call
 * with its outcome (X14, X15). Entries are snapshots: later events change none of them (X17).
 */
export class ExploreLogProjection {
  #state: RunState | undefined;

  /** The entries for an event, at most one. */
  take(event: RunEvent): ExploreLogEntry[] {
    const before = this.#state ?? emptyRunState(event.run_id);
    this.#state = foldRun(before, event);
    switch (event.type) {
      case 'model-call.ended':
        return [invocation(before, event.message)];
      case 'model-call.failed':
        return [invocation(before, partialMessage(event), partialMessage(event) !== null)];
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        return [toolCall(before, event)];
      default:
        return [];
    }
  }
}

/** The part of a reply that was received before its call failed. */
function partialMessage({
  partial_text: content = '',
  partial_thinking: thinking,
}: EventOf<'model-call.failed'>): Reply | null {
  if (content === '' && thinking === undefined) return null;
  return { role: 'assistant', content, ...(thinking === undefined ? {} : { thinking }) };
}

type Reply = EventOf<'model-call.ended'>['message'];

function invocation(state: RunState, response: Reply | null, partial = false): ExploreLogEntry {
  if (!isReady(state)) throw new RangeError(`Run ${state.runId} calls a model without a configuration`);
  const prompt = modeOf(state.config).prompt?.(state) ?? state.messages;
  return entry(state, {
    event_type: 'LLM_INVOCATION',
    payload: {
      prompt_messages: prompt,
      response_message: response,
      ...(partial && { partial: true as const }),
      model_options: state.openCall?.options ?? {},
    },
  });
}

function toolCall(
  state: RunState,
  event: EventOf<'tool-call.ended'> | EventOf<'tool-call.interrupted'>,
): ExploreLogEntry {
  const call = state.reply?.calls.find((pending) => pending.callId === event.call_id);
  return entry(state, {
    event_type: 'TOOL_CALL',
    payload: {
      tool_name: event.tool,
      parameters: call ? argumentsToRun(state, call) : {},
      output: resultText(event.result),
      ...(call && editedArguments(state.approvals, call.callId) ? { edited_from: call.arguments } : {}),
    },
  });
}

type WithoutPlace<E> = E extends ExploreLogEntry ? Omit<E, 'run_id' | 'cycle_number'> : never;

function entry(state: RunState, body: WithoutPlace<ExploreLogEntry>): ExploreLogEntry {
  const at = { run_id: state.runId, cycle_number: state.cycle.number };
  switch (body.event_type) {
    case 'LLM_INVOCATION':
      return { ...at, ...body };
    case 'TOOL_CALL':
      return { ...at, ...body };
    default:
      return assertNever(body);
  }
}

/** A complete exploration log, page by page. */
export async function* exploreLog(
  pages: AsyncIterable<readonly RunEvent[]>,
): AsyncGenerator<ExploreLogEntry[]> {
  const projection = new ExploreLogProjection();
  for await (const events of pages) {
    // One at a time, because each contains a full prompt.
    for (const event of events) {
      const entries = projection.take(event);
      if (entries.length > 0) yield entries;
    }
  }
}
