import { argumentsToRun } from '../events/call-arguments.ts';
import type { NamedImage } from '../events/image.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';
import { isSettingOf } from '../events/settings.ts';
import { editNote } from '../policies/approval.ts';
import type { AskOperator, ToolFact } from '../tools/tool.ts';
import type { Action } from './action.ts';
import { CallsAhead, callsBeside } from './calls-ahead.ts';
import type { FaultHook } from './fault.ts';
import { interruptedCall } from './interrupted-call.ts';
import type { LoopContext } from './loop-context.ts';
import type { RunImages } from './run-images.ts';
import { SeenResults } from './seen-results.ts';
import { ABANDONED } from './stop-signals.ts';
import { factEvent, toolRun } from './tool-facts.ts';

interface ToolCallsOptions {
  /** Asks for an approval of a call that has none. @param opening events to append first */
  askApproval(call: PendingCall, opening: readonly NewEvent[]): Promise<void>;
  /** Answers requests of MCP servers during a call. The time that calls waited for answers is in milliseconds. */
  serverRequests: { askFor(call: PendingCall): AskOperator; readonly pausedMs: number };
  images: RunImages | undefined;
  fault: FaultHook;
}

/** Runs the tools that the model calls. */
export class ToolCalls {
  readonly #context: LoopContext;
  readonly #options: ToolCallsOptions;
  readonly #results = new SeenResults();
  readonly #ahead = new CallsAhead();
  /** Images returned by running calls, by call. */
  readonly #returnedImages = new Map<string, NamedImage[]>();

  constructor(context: LoopContext, options: ToolCallsOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Records that a call starts and runs it to its end, beside calls of the same reply that do not depend on it. */
  async execute({ call, events }: Extract<Action, { type: 'execute-call' }>): Promise<void> {
    const { askApproval, serverRequests, fault } = this.#options;
    const { toolbox, alwaysAsk } = await this.#context.openTools();
    // An earlier approval does not count where commands are no longer confined.
    const decidedBy = this.#context.log.state.approvals[call.callId]?.decided?.by;
    if (alwaysAsk?.includes(call.name) && decidedBy !== 'operator') {
      return askApproval(call, events.slice(0, -1));
    }
    const asked = { name: call.name, arguments: argumentsToRun(this.#context.log.state, call) };
    const file = await toolbox.fileBefore?.(asked);
    this.#context.append(file ? events.map((event) => withFile(event, file)) : events);
    if (!toolbox.isReadOnly(call.name)) await this.#context.log.durable();
    const facts: ToolFact[] = [];
    fault('before:tool-effect');
    const { runId } = this.#context.log.state;
    const pausedBefore = serverRequests.pausedMs;
    const begun = this.#ahead.take(call.callId, () =>
      toolbox.execute(asked, {
        signal: this.#context.abort,
        onOutput: this.#showOutput(call.callId),
        onImage: this.#takeImage(call.callId),
        run: toolRun(this.#context.log.state, facts),
        ask: serverRequests.askFor(call),
        call: { runId, callId: call.callId },
      }),
    );
    for (const other of callsBeside(this.#context.ready(), call, toolbox.isIndependent)) {
      this.#ahead.begin(other.callId, () =>
        toolbox.execute(
          { name: other.name, arguments: other.arguments },
          {
            signal: this.#context.abort,
            onImage: this.#takeImage(other.callId),
            call: { runId, callId: other.callId },
          },
        ),
      );
    }
    const result = await this.#context.withinGrace(begun.result);
    fault('after:tool-effect');
    if (this.#context.isSuspended) return;
    const abandoned =
      result === ABANDONED ? interruptedCall(this.#context.log.state, 'The run was stopped.') : undefined;
    if (abandoned) this.#context.append([abandoned]);
    if (result === ABANDONED) return;
    const { images, refusals } = await this.#keepImages(call.callId);
    if (this.#context.isSuspended) return;
    const notes = [result.note, ...refusals, editNote(this.#context.log.state, call)].filter(
      (note) => note !== undefined,
    );
    const shown = notes.length === 0 ? result : { ...result, note: notes.join(' ') };
    const state = this.#context.ready();
    this.#context.append([
      ...facts.map((fact) => factEvent(fact, call, this.#context.log.state)),
      {
        type: 'tool-call.ended',
        call_id: call.callId,
        tool: call.name,
        result: shown,
        ...(images.length > 0 && { images }),
        ...(isSettingOf(state.config.mode, 'stall_guard') && {
          new_information: this.#results.isNew(state, call, shown, images.length > 0 ? images : undefined),
        }),
        duration_ms: Math.max(0, begun.durationMs() - (serverRequests.pausedMs - pausedBefore)),
      },
    ]);
  }

  #takeImage(callId: string): (image: NamedImage) => void {
    return (image) => {
      const returned = this.#returnedImages.get(callId);
      if (returned) returned.push(image);
      else this.#returnedImages.set(callId, [image]);
    };
  }

  /** Stores the images of a call that has ended, before its result refers to them. */
  async #keepImages(callId: string): Promise<Awaited<ReturnType<RunImages['keep']>>> {
    const returned = this.#returnedImages.get(callId) ?? [];
    this.#returnedImages.delete(callId);
    const { images } = this.#options;
    if (returned.length === 0 || !images) return { images: [], refusals: [] };
    try {
      return await images.keep(returned, this.#context.log.state.images.kept, this.#context.abort);
    } catch (error) {
      if (!this.#context.abort.aborted) throw error;
      return { images: [], refusals: ['The run was stopped before its images were kept.'] };
    }
  }

  /** Streams a command's output to viewers. */
  #showOutput(callId: string): (text: string) => void {
    let shown = 0;
    return (text) => {
      this.#context.log.delta({ type: 'tool-output', call_id: callId, offset: shown, text });
      shown += text.length;
    };
  }
}

/** The intent of a call with the file that it is about to change. */
function withFile(event: NewEvent, file: EventOf<'tool-call.started'>['file']): NewEvent {
  return event.type === 'tool-call.started' ? { ...event, file } : event;
}
