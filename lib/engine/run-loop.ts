import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors/app-error.ts';
import { argumentsToRun } from '../events/call-arguments.ts';
import { CHARS_PER_TOKEN } from '../events/message-size.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { requestedWindow } from '../events/window.ts';
import type { ChatDelta, ChatModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import type { Mode } from '../modes/mode.ts';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import { approvalRequested, editNote } from '../policies/approval.ts';
import { afterFailedPreparation, type Failure } from '../policies/failure.ts';
import { promptCut } from '../policies/prompt-cut.ts';
import { type ErrorShape, isReady, type ReadyState } from '../policies/rule.ts';
import { verificationOutcome } from '../policies/verification.ts';
import type { ToolFact } from '../tools/tool.ts';
import { durationWords, MAX_TIMER_MS } from '../util/durations.ts';
import type { Action } from './action.ts';
import { buildRequest } from './build-request.ts';
import { compareReflections } from './compare-reflections.ts';
import { type FaultHook, fault } from './fault.ts';
import { interruptedCall } from './interrupted-call.ts';
import { nextAction } from './next-action.ts';
import type { OpenedTools, OpenTools } from './open-tools.ts';
import { readReply } from './read-reply.ts';
import { ResidencyCheck } from './residency-check.ts';
import { runEnded } from './result-of.ts';
import type { RunLog } from './run-log.ts';
import type { RunLoopOutcome } from './run-loop-outcome.ts';
import { ABANDONED, signalWhen, withinGrace } from './stop-signals.ts';
import { factEvent, toolRun } from './tool-facts.ts';

const STOP_GRACE_MS = 5000;

export interface RunLoopOptions {
  log: RunLog;
  model: ChatModel;
  mode: Mode;
  openTools: OpenTools;
  /** Aborted at shutdown: running work is cancelled and nothing more is appended, so that the run can be resumed. */
  signal?: AbortSignal;
  /**
   * Called before a new iteration. Resolves to `true` if the run yielded its slot at the model server and got it
   * back, in which case the model may have been unloaded.
   */
  yieldToOthers?: () => Promise<boolean>;
  /**
   * Called to wait for the operator: releases the run's slot at the model server until `wait` resolves. Resolves to
   * `true` if others used the slot meanwhile.
   */
  withoutSlot?: (wait: () => Promise<void>) => Promise<boolean>;
  /** Milliseconds since 1970, for time limits; should be monotonic. Default: the system clock. */
  clock?: () => number;
  /** Resolves after the delay, or rejects when the signal is aborted. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /**
   * How long a model or tool call may take to end after a forced stop before it is abandoned, in milliseconds.
   * Default: 5000.
   */
  stopGraceMs?: number;
  /** Called before and after a tool's side effects. Default: controlled by LOUPE_FAULT. */
  fault?: FaultHook;
}

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

class Loop {
  readonly #options: RunLoopOptions;
  readonly #log: RunLog;
  readonly #fault: FaultHook;
  readonly #clock: () => number;
  readonly #graceMs: number;
  readonly #closed = new AbortController();
  /** Aborted by a forced stop, a shutdown, or a log that cannot be written. */
  readonly #abort: AbortSignal;
  #tools: Promise<OpenedTools> | undefined;
  /** The iteration in which the run got its slot. It completes at least one more before it yields. */
  #slotSince: number;
  /** Whether others used the slot while the run waited for the operator, so that the model may have been unloaded. */
  #othersPassed = false;
  #warnedOfChanges = false;
  readonly #residency: ResidencyCheck;
  /** Whether the last call failed and the model was unloaded to free its slot. */
  #slotFreed = false;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#fault = options.fault ?? fault;
    this.#clock = options.clock ?? Date.now;
    this.#graceMs = options.stopGraceMs ?? STOP_GRACE_MS;
    this.#slotSince = options.log.state.iteration;
    const forced = signalWhen(options.log, (state) => state.stop?.force ?? false, this.#closed.signal);
    this.#abort = AbortSignal.any([...(options.signal ? [options.signal] : []), forced, options.log.failed]);
    this.#residency = new ResidencyCheck(options.model, this.#abort);
  }

  async run(): Promise<RunLoopOutcome> {
    const { mode } = this.#options;
    for (;;) {
      if (this.#suspended) return { outcome: 'suspended' };
      this.#log.failed.throwIfAborted();
      const action = nextAction(this.#log.state, mode, this.#clock());
      if (action.type === 'none') {
        await this.#log.durable();
        return { outcome: 'ended' };
      }
      if (beginsIteration(action) && (await this.#yieldToOthers())) continue;
      await this.#perform(action);
    }
  }

  /** Ends the run with the error, if its log still accepts one. */
  async fail(error: unknown): Promise<RunLoopOutcome> {
    if (error instanceof AppError && error.code === 'stale_epoch') return { outcome: 'superseded' };
    if (this.#suspended) return { outcome: 'suspended', error };
    this.#log.revert();
    const { state } = this.#log;
    if (state.ended) return { outcome: 'ended', error };
    if (!isReady(state)) return { outcome: 'broken', error };
    try {
      const interrupted = interruptedCall(state, 'The program failed while this call ran.');
      this.#append([
        ...(interrupted ? [interrupted] : []),
        runEnded(state, { reason: 'error', error: errorShape(error) }),
      ]);
      await this.#log.durable();
      return { outcome: 'ended', error };
    } catch (second) {
      return { outcome: 'broken', error: new AggregateError([error, second], 'The run could not be ended') };
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    // Tools that failed to open have already reported why, and a failing close must not change how the run ended.
    await this.#tools?.then((tools) => tools.close()).catch(() => {});
  }

  get #suspended(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  /** Yields the slot if others wait for it, and reloads the model afterwards. */
  async #yieldToOthers(): Promise<boolean> {
    const passed = this.#othersPassed;
    if (!passed && this.#log.state.iteration <= this.#slotSince) return false;
    const askedAt = performance.now();
    if (!passed && !(await this.#options.yieldToOthers?.())) return false;
    const waitedMs = performance.now() - askedAt;
    this.#othersPassed = false;
    const state = this.#ready();
    this.#slotSince = state.iteration;
    if (this.#suspended || state.stop) return true;
    await this.#prepare(async () => {
      await this.#loadModel(requestedWindow(state), { waited_ms: waitedMs });
      await this.#warnOfChanges();
    });
    return true;
  }

  /** Warns once that runs with other models make Ollama reload this one repeatedly, and what a reload costs. */
  async #warnOfChanges(): Promise<void> {
    const { loaded, config } = this.#ready();
    if (this.#warnedOfChanges || !loaded || loaded.already_loaded || loaded.remote_host) return;
    this.#warnedOfChanges = true;
    this.#append([
      {
        type: 'policy.warned',
        code: 'models_take_turns',
        message:
          `While this run yielded to others, Ollama unloaded ${config.model}. Reloading it took ` +
          `${durationWords(loaded.load_ms)}. While runs with different models take turns, each switch reloads a model. ` +
          'Stop one of them, or use the same model for all.',
      },
    ]);
  }

  #ready(): ReadyState {
    const { state } = this.#log;
    if (!isReady(state)) throw new RangeError(`Run ${state.runId} has no configuration yet`);
    return state;
  }

  #append(events: readonly NewEvent[]): RunState {
    return this.#log.append(events);
  }

  #perform(action: Exclude<Action, { type: 'none' }>): Promise<void> {
    switch (action.type) {
      case 'append':
        return this.#appendAndWait(action);
      case 'check-model':
        return this.#prepare(() => this.#checkModel());
      case 'load-model':
        return this.#prepare(() => this.#loadModel(action.numCtx));
      case 'open-attempt':
        return this.#openAttempt(action.attempt);
      case 'call-model':
        return this.#callModel(action.events);
      case 'await-approval':
        return this.#awaitApproval(action.waitMs);
      case 'execute-call':
        return this.#executeCall(action);
      case 'compare-reflections':
        return this.#compareReflections(action.model);
      case 'verify':
        return this.#verify(action.attempt);
    }
  }

  async #appendAndWait({ events, waitMs }: Extract<Action, { type: 'append' }>): Promise<void> {
    this.#append(events);
    if (!waitMs) return;
    const done = new AbortController();
    const stopped = signalWhen(this.#log, (state) => state.stop !== undefined, done.signal);
    const sleep = this.#options.sleep ?? ((ms, signal) => delay(ms, undefined, { signal }));
    const signal = AbortSignal.any([this.#abort, stopped]);
    try {
      await sleep(waitMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      done.abort();
    }
  }

  /** Runs a preparation step. A server failure is handled like that of a call. */
  async #prepare(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (this.#abort.aborted) return;
      const state = this.#ready();
      const verdict = afterFailedPreparation(state, failureOf(error), this.#clock());
      await this.#appendAndWait(
        verdict.type === 'append' ? verdict : { type: 'append', events: [runEnded(state, verdict.ending)] },
      );
    }
  }

  async #checkModel(): Promise<void> {
    const { model, mode } = this.#options;
    const { config } = this.#ready();
    const asked = {
      server: model.ping(this.#abort),
      details: model.show(config.model, this.#abort),
      tools: mode.usesTools ? this.#openTools() : undefined,
    };
    // The first failure in this order is reported, whichever comes first.
    for (const answer of [asked.details, asked.tools]) answer?.catch(() => {});
    const server = await asked.server;
    const details = await asked.details;
    const sandbox = (await asked.tools)?.sandbox ?? {
      available: false,
      kind: 'none',
      reason: 'This run uses no tools.',
    };
    const events: NewEvent[] = [
      {
        type: 'preflight.checked',
        server_version: server.version,
        capabilities: details.capabilities && [...details.capabilities],
        max_context_tokens: details.maxContextTokens,
        parameter_size: details.parameterSize,
        quantization: details.quantization,
        digest: details.digest,
        size_bytes: details.sizeBytes,
        ...(details.remote && { remote_host: details.remote.host }),
        sandbox,
      },
    ];
    if (details.maxContextTokens !== undefined && details.maxContextTokens < config.window_tokens) {
      events.push({
        type: 'policy.warned',
        code: 'window_lowered',
        message: `${config.model} holds ${details.maxContextTokens} tokens at most: the window is ${details.maxContextTokens} instead of ${config.window_tokens}.`,
      });
    }
    this.#append(events);
  }

  /** @param why the cause of a load during a run: a wait for its slot, or other clients that unloaded the model */
  async #loadModel(
    numCtx: number,
    why: Pick<EventOf<'model.load-started'>, 'cause' | 'found_context_tokens' | 'waited_ms'> = {},
  ): Promise<void> {
    const { config } = this.#ready();
    this.#append([{ type: 'model.load-started', model: config.model, num_ctx: numCtx, ...why }]);
    const loaded = await this.#options.model.load(
      { model: config.model, numCtx, keepAlive: config.keep_alive, options: config.model_options },
      {
        signal: this.#abort,
        timeoutMs: config.load_timeout_ms,
        onProgress: ({ sizeBytes, vramBytes }) =>
          this.#log.delta({ type: 'load', size_bytes: sizeBytes, vram_bytes: vramBytes }),
      },
    );
    const events: NewEvent[] = [
      {
        type: 'model.loaded',
        already_loaded: loaded.alreadyLoaded,
        load_ms: loaded.loadMs,
        context_tokens: loaded.contextTokens,
        size_bytes: loaded.sizeBytes,
        vram_bytes: loaded.vramBytes,
        ...(loaded.freedSlot && { freed_slot: true }),
        ...(loaded.remoteHost !== undefined && { remote_host: loaded.remoteHost }),
      },
    ];
    if (loaded.contextTokens !== undefined && loaded.contextTokens < requestedWindow(this.#ready())) {
      events.push({
        type: 'policy.warned',
        code: 'window_smaller_than_asked',
        message: `Ollama loaded the model with a window of ${loaded.contextTokens} tokens instead of ${numCtx}.`,
      });
    }
    this.#append(events);
    this.#residency.noteLoad();
  }

  async #openAttempt(attempt: number): Promise<void> {
    const { mode } = this.#options;
    const opened = mode.usesTools ? await this.#openTools() : undefined;
    const tools = mode.offer(opened?.toolbox.definitions ?? []);
    const { workspacePrompt, logPath } = opened ?? {};
    this.#append(mode.open(this.#ready(), { attempt, tools, workspacePrompt, logPath }));
  }

  async #callModel(events: readonly NewEvent[]): Promise<void> {
    if (await this.#loadedAgain()) return;
    this.#append(events);
    const { mode } = this.#options;
    const state = this.#ready();
    const request = buildRequest(state, mode);
    const startedAt = performance.now();
    const heard: { thinking_ms?: number; text_ms?: number } = {};
    const streamed: Streamed = { text: '', thinking: '' };
    let outcome: NewEvent[];
    let tidying = false;
    try {
      const reply = await withinGrace(
        this.#options.model.chat(request, {
          signal: this.#abort,
          timeoutMs: state.config.call_timeout_ms,
          onDelta: this.#showText(state.calls, streamed, (type) => {
            heard[type === 'text' ? 'text_ms' : 'thinking_ms'] = performance.now() - startedAt;
          }),
          onTidying: () => {
            tidying = true;
          },
        }),
        this.#abort,
        // If the slot were freed after the run's end, it would go unlogged and could disturb the next run. A shutdown
        // does not wait, because the resuming worker checks the slot before it calls.
        { graceMs: this.#graceMs, isTidying: () => tidying && !this.#suspended },
      );
      const duration = performance.now() - startedAt;
      const alarm = reply === ABANDONED ? undefined : promptCut(this.#ready(), request, reply.promptTokens);
      outcome =
        reply === ABANDONED
          ? [callFailed(state, abandonedCall(streamed), duration)]
          : [...readReply(this.#ready(), reply, duration, heard), ...(alarm ? [alarm] : [])];
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const failure = mode.failure?.(error) ?? error;
      this.#slotFreed = error.slotRelease?.unloaded ?? false;
      const duration = performance.now() - startedAt - (error.cleanupMs ?? 0);
      outcome = [{ ...callFailed(state, failure, duration), ...cleanupFacts(error) }];
    }
    // A suspended run repeats the call when it is resumed, so this one must not be logged.
    if (!this.#suspended) this.#append(outcome);
  }

  /** Reloads the model if another client unloaded it or loaded it with another window. */
  async #loadedAgain(): Promise<boolean> {
    const state = this.#ready();
    const change = await this.#residency.findChange(state);
    if (!change) return false;
    const why = change.cause === 'unloaded' && this.#slotFreed ? { cause: 'slot_freed' as const } : change;
    await this.#prepare(() => this.#loadModel(requestedWindow(state), why));
    return true;
  }

  /**
   * Streams text and thinking to viewers with their offsets, collects them in `streamed`, and reports when each
   * begins.
   */
  #showText(
    call: number,
    streamed: Streamed,
    onBegin: (type: 'text' | 'thinking') => void,
  ): (delta: ChatDelta) => void {
    const since: { text?: number; thinking?: number } = {};
    const show = (type: 'text' | 'thinking', text: string | undefined) => {
      if (!text || this.#log.state.openCall?.call !== call) return;
      if (since[type] === undefined) onBegin(type);
      since[type] ??= this.#clock();
      this.#log.delta({ type, call, offset: streamed[type].length, text, since: since[type] });
      streamed[type] += text;
    };
    return ({ thinking, text }) => {
      show('thinking', thinking);
      show('text', text);
    };
  }

  /**
   * Waits for a decision, a stop or the time limit without holding a slot at the model server, because the operator
   * may take hours. The next `nextAction` sees what happened.
   */
  async #awaitApproval(waitMs: number | undefined): Promise<void> {
    const { mode, withoutSlot } = this.#options;
    const spent = waitMs === undefined ? [] : [AbortSignal.timeout(Math.min(waitMs, MAX_TIMER_MS))];
    const signal = AbortSignal.any([this.#abort, ...spent]);
    const wait = async () => {
      do await this.#log.changed(this.#log.state.seq, signal);
      while (!signal.aborted && nextAction(this.#log.state, mode).type === 'await-approval');
    };
    if (!withoutSlot) await wait();
    else if (await withoutSlot(wait)) this.#othersPassed = true;
  }

  async #executeCall({ call, events }: Extract<Action, { type: 'execute-call' }>): Promise<void> {
    const { toolbox, alwaysAsk } = await this.#openTools();
    if (alwaysAsk?.includes(call.name) && !this.#log.state.approvals[call.callId]) {
      const { iteration } = this.#log.state;
      this.#append([...events.slice(0, -1), approvalRequested(call, iteration)]);
      return;
    }
    this.#append(events);
    if (!toolbox.isReadOnly(call.name)) await this.#log.durable();
    const startedAt = performance.now();
    const facts: ToolFact[] = [];
    this.#fault('before:tool-effect');
    const result = await withinGrace(
      toolbox.execute(
        { name: call.name, arguments: argumentsToRun(this.#log.state, call) },
        {
          signal: this.#abort,
          onOutput: this.#showOutput(call.callId),
          run: toolRun(this.#log.state, facts),
          call: { runId: this.#log.state.runId, callId: call.callId },
        },
      ),
      this.#abort,
      { graceMs: this.#graceMs },
    );
    this.#fault('after:tool-effect');
    if (this.#suspended) return;
    const abandoned =
      result === ABANDONED ? interruptedCall(this.#log.state, 'The run was stopped.') : undefined;
    if (abandoned) this.#append([abandoned]);
    if (result === ABANDONED) return;
    const note = editNote(this.#log.state, call);
    this.#append([
      ...facts.map((fact) => factEvent(fact, call, this.#log.state)),
      {
        type: 'tool-call.ended',
        call_id: call.callId,
        tool: call.name,
        result: note === undefined ? result : { ...result, note },
        duration_ms: performance.now() - startedAt,
      },
    ]);
  }

  async #compareReflections(embeddingModel: string): Promise<void> {
    const { model } = this.#options;
    const events = await withinGrace(
      compareReflections(this.#ready(), { model, embeddingModel, signal: this.#abort }),
      this.#abort,
      { graceMs: this.#graceMs },
    );
    // An aborted comparison is meaningless; the next step handles the cause.
    if (events !== ABANDONED && !this.#abort.aborted) this.#append(events);
  }

  /** Streams a command's output to viewers. */
  #showOutput(callId: string): (text: string) => void {
    let shown = 0;
    return (text) => {
      this.#log.delta({ type: 'tool-output', call_id: callId, offset: shown, text });
      shown += text.length;
    };
  }

  async #verify(attempt: number): Promise<void> {
    const state = this.#ready();
    const reason = state.attempts.at(-1)?.reason ?? 'error';
    const tools = await this.#openTools();
    await this.#log.durable(); // checks run commands
    const checks = await withinGrace(
      tools.runChecks(state.config.checks, { signal: this.#abort }),
      this.#abort,
      { graceMs: this.#graceMs },
    );
    // Checks cut short by a stop say nothing about the work.
    if (checks === ABANDONED || this.#abort.aborted) return;
    const outcome = verificationOutcome(checks, { reason, cut: state.lastReplyCut });
    this.#append([{ type: 'verification.checked', attempt, outcome, checks }]);
  }

  /** Opened once, on first use. */
  #openTools(): Promise<OpenedTools> {
    this.#tools ??= this.#options.openTools(this.#ready().config);
    return this.#tools;
  }
}

function beginsIteration(action: Action): boolean {
  return action.type === 'call-model' && action.events.some(({ type }) => type === 'iteration.started');
}

/** The streamed part of a reply. */
interface Streamed {
  text: string;
  thinking: string;
}

function callFailed(
  state: ReadyState,
  error: ModelError,
  durationMs: number,
): Extract<NewEvent, { type: 'model-call.failed' }> {
  const { kind, transient, status, promptTokens, contextTokens, raw } = error;
  return {
    type: 'model-call.failed',
    call: state.calls,
    kind,
    error: errorShape(error),
    transient,
    ...(status === undefined ? {} : { status }),
    ...(promptTokens === undefined ? {} : { prompt_tokens: promptTokens }),
    ...(contextTokens === undefined ? {} : { context_tokens: contextTokens }),
    ...partialReply(state, error),
    ...(raw === undefined ? {} : { raw }),
    duration_ms: durationMs,
  };
}

/**
 * The part of a reply streamed before the call failed, with estimated tokens, since Ollama reports counts only at the
 * end.
 */
function partialReply(state: ReadyState, { partialText = '', partialThinking = '' }: ModelError) {
  if (partialText === '' && partialThinking === '') return {};
  const visible = parseToolCalls(
    { content: partialText },
    { tools: state.tools, layers: state.config.parser_layers },
  ).visibleText;
  return {
    ...(partialText !== '' && { partial_text: partialText }),
    ...(partialThinking !== '' && { partial_thinking: partialThinking }),
    ...(visible !== partialText.trim() && { visible_text: visible }),
    estimated_prompt_tokens: state.openCall?.estimated_tokens ?? 0,
    estimated_reply_tokens: Math.ceil((partialText.length + partialThinking.length) / CHARS_PER_TOKEN),
  };
}

/** Facts about the cleanup after a failed call. Omits a cleanup of less than a millisecond. */
function cleanupFacts({ kind, slotRelease, cleanupMs = 0 }: ModelError) {
  return {
    ...(cleanupMs >= 1 && { cleanup_ms: cleanupMs }),
    ...(kind === 'aborted' && slotRelease && { server_idle_ms: slotRelease.afterMs }),
    ...(slotRelease?.unloaded && { freed_slot: true }),
  };
}

function abandonedCall({ text, thinking }: Streamed): ModelError {
  return new ModelError({
    kind: 'aborted',
    code: 'model_call_abandoned',
    partialText: text || undefined,
    partialThinking: thinking || undefined,
    message: 'The model call was stopped and did not end in time.',
    hint: 'Ollama may still be at work on it. Look at its log, or restart it.',
  });
}

function failureOf({ kind, transient, code, message, hint }: ModelError): Failure {
  return { kind, transient, code, message, ...(hint === undefined ? {} : { hint }) };
}

function errorShape(error: unknown): ErrorShape {
  if (error instanceof AppError) {
    const { code, message, hint } = error;
    return { code, message, ...(hint === undefined ? {} : { hint }) };
  }
  return {
    code: 'internal_error',
    message: `Unexpected error: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'This is a bug in Loupe, not in the task. Start the run again. If it fails again, report the error.',
  };
}
