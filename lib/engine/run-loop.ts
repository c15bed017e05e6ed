import { AppError } from '../errors/app-error.ts';
import type { NewEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';
import { ModelError } from '../model/model-error.ts';
import { promptCut } from '../policies/prompt-cut.ts';
import { isReady } from '../policies/rule.ts';
import type { Action } from './action.ts';
import { checkAnswer, verifyAttempt } from './answer-checks.ts';
import { operatorAnswered, operatorFailed, operatorRequest } from './ask-operator.ts';
import { awaitServer } from './await-server.ts';
import { errorShape } from './call-failed.ts';
import { compareReflections } from './compare-reflections.ts';
import { fault } from './fault.ts';
import { interruptedCall } from './interrupted-call.ts';
import { LoopContext } from './loop-context.ts';
import { ModelCalls } from './model-calls.ts';
import { ModelPreparation } from './model-preparation.ts';
import { nextAction } from './next-action.ts';
import { readReply } from './read-reply.ts';
import { runEnded } from './result-of.ts';
import { RunApprovals } from './run-approvals.ts';
import type { RunLoopOptions } from './run-loop-options.ts';
import type { RunLoopOutcome } from './run-loop-outcome.ts';
import { RunSlot } from './run-slot.ts';
import { ServerRequests } from './server-requests.ts';
import { ABANDONED } from './stop-signals.ts';
import { ToolCalls } from './tool-calls.ts';

/**
 * Drives a run from the current state of its log to its end: asks `nextAction`, performs the action, appends what
 * happened. The caller has claimed the run and written `run.started` or `run.resumed`. Keeps no state besides open
 * resources, so another loop can continue a dead one's run from the log.
 *
 * Never throws: an unexpected exception ends only this run, with `error`.
 */
export async function runLoop(options: RunLoopOptions): Promise<RunLoopOutcome> {
  const loop = new Loop(options);
  try {
    return await loop.run();
  } catch (error) {
    return await loop.fail(error);
  } finally {
    await loop.close();
  }
}

/** Decides which step comes next, and hands it to the part of the engine that can do it. */
class Loop {
  readonly #context: LoopContext;
  readonly #preparation: ModelPreparation;
  readonly #slot: RunSlot;
  readonly #modelCalls: ModelCalls;
  readonly #approvals: RunApprovals;
  readonly #toolCalls: ToolCalls;

  constructor(options: RunLoopOptions) {
    const context = new LoopContext(options);
    const preparation = new ModelPreparation(context);
    const slot = new RunSlot(context, options, (waitedMs) => preparation.reload(waitedMs));
    const approvals = new RunApprovals(context, options.standingApproval);
    const serverRequests = new ServerRequests({
      ...{ log: context.log, model: context.model, abort: context.abort },
      withoutSlot: (wait) => slot.without(wait),
      takeSlot: (until) => slot.takeDuringCall(until),
    });
    const { images } = options;
    this.#context = context;
    this.#preparation = preparation;
    this.#slot = slot;
    this.#approvals = approvals;
    this.#modelCalls = new ModelCalls(context, images);
    this.#toolCalls = new ToolCalls(context, {
      ...{ serverRequests, images },
      askApproval: (call, opening) => approvals.ask(call, opening),
      fault: options.fault ?? fault,
    });
  }

  async run(): Promise<RunLoopOutcome> {
    const { mode } = this.#context;
    for (;;) {
      if (this.#context.isSuspended) return { outcome: 'suspended' };
      this.#context.log.failed.throwIfAborted();
      const action = nextAction(this.#context.log.state, mode, this.#context.now());
      if (action.type === 'none') {
        await this.#context.log.durable();
        return { outcome: 'ended' };
      }
      if (action.type === 'await-message') {
        const { seq } = this.#context.log.state;
        await this.#context.log.durable();
        if (this.#context.log.state.seq === seq) return { outcome: 'waiting' };
        continue;
      }
      if (usesModel(action) && (await this.#slot.take())) continue;
      if (beginsIteration(action) && (await this.#slot.yieldToOthers())) continue;
      await this.#perform(action);
    }
  }

  /** Ends the run with the error, if its log still accepts one. */
  async fail(error: unknown): Promise<RunLoopOutcome> {
    if (error instanceof AppError && error.code === 'stale_epoch') return { outcome: 'superseded' };
    if (this.#context.isSuspended) return { outcome: 'suspended', error };
    this.#context.log.revert();
    const { state } = this.#context.log;
    if (state.ended) return { outcome: 'ended', error };
    if (!isReady(state)) return { outcome: 'broken', error };
    try {
      const interrupted = interruptedCall(state, 'The program failed while this call ran.');
      this.#context.append([
        ...(interrupted ? [interrupted] : []),
        runEnded(state, { reason: 'error', error: errorShape(error) }),
      ]);
      await this.#context.log.durable();
      return { outcome: 'ended', error };
    } catch (second) {
      return { outcome: 'broken', error: new AggregateError([error, second], 'The run could not be ended') };
    }
  }

  close(): Promise<void> {
    return this.#context.close();
  }

  #perform(action: Exclude<Action, { type: 'none' | 'await-message' }>): Promise<void> {
    switch (action.type) {
      case 'append':
        return this.#context.appendAndWait(action);
      case 'check-model':
        return this.#preparation.check();
      case 'await-server':
        return this.#awaitServer(action.limitMs);
      case 'load-model':
        return this.#preparation.load(action.numCtx, this.#slot.takeUnrecordedWait());
      case 'open-attempt':
        return this.#openAttempt(action.attempt);
      case 'call-model':
        return this.#callModel(action.events);
      case 'ask-approval':
        return this.#approvals.ask(action.call, action.events);
      case 'await-approval':
        return this.#awaitApproval();
      case 'execute-call':
        return this.#toolCalls.execute(action);
      case 'ask-operator':
        return this.#askOperator(action.call);
      case 'compare-reflections':
        return this.#compareReflections(action.model);
      case 'check-answer':
        return checkAnswer(this.#context);
      case 'verify':
        return verifyAttempt(this.#context, this.#slot, action.attempt);
    }
  }

  /** Waits for a server that is down without holding a slot there, so other runs need not wait for this one. */
  async #awaitServer(limitMs: number): Promise<void> {
    const startedAt = performance.now();
    const wait = async (stopped: AbortSignal) => {
      const outcome = await awaitServer({
        ping: (signal) => this.#context.model.ping(signal),
        signal: stopped,
        limitMs,
        clock: () => this.#context.now(),
        sleep: (ms, signal) => this.#context.sleep(ms, signal),
        onPause: (at) => this.#context.log.delta({ type: 'server-wait', next_try_at: at }),
      });
      const waited_ms = performance.now() - startedAt;
      if (outcome) this.#context.append([{ type: 'server-wait.ended', outcome, waited_ms }]);
    };
    await this.#context.untilStop((stopped) => this.#slot.without(() => wait(stopped)));
  }

  async #openAttempt(attempt: number): Promise<void> {
    const { mode } = this.#context;
    const opened = mode.usesTools ? await this.#context.openTools() : undefined;
    const tools = mode.offer(opened?.toolbox.definitions ?? []);
    const { workspacePrompt, logPath } = opened ?? {};
    this.#context.append(mode.open(this.#context.ready(), { attempt, tools, workspacePrompt, logPath }));
  }

  async #callModel(events: readonly NewEvent[]): Promise<void> {
    const { slotFreed } = this.#modelCalls;
    if (await this.#preparation.reloadIfChanged({ slotFreed })) return;
    this.#context.append(events);
    const called = await this.#modelCalls.call();
    // A suspended run repeats the call when it is resumed, so this one must not be logged.
    if (this.#context.isSuspended) return;
    if ('failed' in called) {
      this.#context.append(called.failed);
      return;
    }
    const { reply, request, durationMs, heard } = called;
    const state = this.#context.ready();
    const alarm = promptCut(state, request, reply.promptTokens);
    this.#context.append([...readReply(state, reply, durationMs, heard), ...(alarm ? [alarm] : [])]);
  }

  /**
   * Waits for a decision or a stop without a slot, because the operator may take hours. The next `nextAction` sees the
   * outcome.
   */
  #awaitApproval(): Promise<void> {
    const { mode } = this.#context;
    return this.#slot.without(async () => {
      while (
        !this.#context.abort.aborted &&
        nextAction(this.#context.log.state, mode).type === 'await-approval'
      ) {
        await this.#context.log.changed(this.#context.log.state.seq, this.#context.abort);
      }
    });
  }

  /** Asks the model that answers the agent's messages. A failure costs the answer, not the run. */
  async #askOperator(call: PendingCall): Promise<void> {
    const state = this.#context.ready();
    const { started, request } = operatorRequest(state, call);
    this.#context.append([started]);
    const { model } = request;
    const startedAt = performance.now();
    const context = { signal: this.#context.abort, timeoutMs: state.config.call_timeout_ms };
    let outcome: NewEvent[];
    try {
      const reply = await this.#context.withinGrace(this.#context.model.chat(request, context));
      if (reply === ABANDONED) return;
      outcome = operatorAnswered(this.#context.ready(), call, {
        ...{ model, reply, durationMs: performance.now() - startedAt },
      });
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      outcome = operatorFailed(call, { model, error, durationMs: performance.now() - startedAt });
    }
    // After a stop the next step handles the cause; a suspended run asks again when it is resumed.
    if (!this.#context.abort.aborted) this.#context.append(outcome);
  }

  async #compareReflections(embeddingModel: string): Promise<void> {
    const { model } = this.#context;
    const events = await this.#context.withinGrace(
      compareReflections(this.#context.ready(), { model, embeddingModel, signal: this.#context.abort }),
    );
    // An aborted comparison is meaningless; the next step handles the cause.
    if (events !== ABANDONED && !this.#context.abort.aborted) this.#context.append(events);
  }
}

/** Whether the action uses the model server, for which the run needs a slot. Tools need none. */
function usesModel({ type }: Action): boolean {
  return (
    type === 'check-model' ||
    type === 'load-model' ||
    type === 'call-model' ||
    type === 'ask-operator' ||
    type === 'compare-reflections'
  );
}

function beginsIteration(action: Action): boolean {
  return action.type === 'call-model' && action.events.some(({ type }) => type === 'iteration.started');
}
