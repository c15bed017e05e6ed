import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors/app-error.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { ChatDelta, ChatModel, MemoryModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import type { Mode } from '../modes/mode.ts';
import { approvalRequested, argumentsToRun, editNote } from '../policies/approval.ts';
import { afterFailedPreparation, type Failure } from '../policies/failure.ts';
import { promptCut } from '../policies/prompt-cut.ts';
import { type ErrorShape, isReady, type ReadyState } from '../policies/rule.ts';
import { verificationOutcome } from '../policies/verification.ts';
import { requestedWindow } from '../policies/window.ts';
import type { ToolFact } from '../tools/tool.ts';
import { type FaultHook, fault } from '../util/fault.ts';
import type { Action } from './action.ts';
import { buildRequest } from './build-request.ts';
import { compareReflections } from './compare-reflections.ts';
import { interruptedCall } from './interrupted-call.ts';
import { nextAction } from './next-action.ts';
import type { OpenedTools, OpenTools } from './open-tools.ts';
import { ProgressEmitter, type ProgressListener } from './progress-emitter.ts';
import { readReply } from './read-reply.ts';
import { runEnded } from './result-of.ts';
import type { RunLog } from './run-log.ts';
import { ABANDONED, signalWhen, withinGrace } from './stop-signals.ts';
import { factEvent, toolRun } from './tool-facts.ts';

const STOP_GRACE_MS = 5000;
/** The longest that a timer can be set to. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface RunLoopOptions {
  log: RunLog;
  model: ChatModel;
  mode: Mode;
  openTools: OpenTools;
  /** The server is going down: what runs is aborted and nothing more is appended, so that the run can be resumed. */
  signal?: AbortSignal;
  /**
   * Called before a new iteration. Resolves to `true` when the run gave its place at the model server away and has it
   * again: what was loaded may be loaded no more.
   */
  letOthersPass?: () => Promise<boolean>;
  /**
   * Called to wait for a person: the run's place at the model server is given away until `wait` resolves. Resolves to
   * `true` when others had it meanwhile.
   */
  withoutPlace?: (wait: () => Promise<void>) => Promise<boolean>;
  /** Progress events as scripts know them (E1). */
  onProgress?: ProgressListener;
  /** Milliseconds since 1970, for time limits: best a clock that nobody sets. Default: the system's. */
  clock?: () => number;
  /** Resolves after a while, or rejects when the signal fires. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /**
   * How long a call of model or tool may take to end after a forced stop before it is left to itself, in milliseconds.
   * Default: 5000.
   */
  stopGraceMs?: number;
  /** Called around the effect of a tool. Default: planned by LOUPE_FAULT. */
  fault?: FaultHook;
}

/**
 * How the loop was left: the run `ended`; it was `suspended` for a shutdown; it was `superseded` by another worker; or
 * its log is `broken` and could not even take the error.
 */
export interface RunLoopOutcome {
  outcome: 'ended' | 'suspended' | 'superseded' | 'broken';
  /** What went wrong, when something did. */
  error?: unknown;
}

/**
 * Drives a run to its end, from wherever its log stands: asks `nextAction`, performs it, appends what happened. The
 * caller has claimed the run and written `run.started` or `run.resumed`. Holds
 * no state of its own beyond open resources, so a loop that died is continued by another over the same log.
 *
 * Never throws: an unexpected exception ends this run with `error`, and no other.
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
  readonly #progress: ProgressEmitter;
  readonly #closed = new AbortController();
  /** Fires at a forced stop and at a shutdown. */
  readonly #abort: AbortSignal;
  #tools: Promise<OpenedTools> | undefined;
  /** The iteration in which the run got its place: it does at least one more before it lets others pass. */
  #placeSince: number;
  /** While the run waited for a person, others had the model server: what was loaded may be loaded no more. */
  #othersPassed = false;
  #warnedOfChanges = false;
  #toldOfUnread = false;
  /** The number of calls at which the model was loaded again. */
  #loadedBefore: number | undefined;
  /** The last call failed, and the model was unloaded to free its slot. */
  #slotFreed = false;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#fault = options.fault ?? fault;
    this.#clock = options.clock ?? Date.now;
    this.#graceMs = options.stopGraceMs ?? STOP_GRACE_MS;
    this.#progress = new ProgressEmitter({
      runId: options.log.state.runId,
      onProgress: options.onProgress,
      notices: options.mode.notices,
    });
    this.#placeSince = options.log.state.iteration;
    const forced = signalWhen(options.log, (state) => state.stop?.force ?? false, this.#closed.signal);
    this.#abort = options.signal ? AbortSignal.any([options.signal, forced]) : forced;
  }

  async run(): Promise<RunLoopOutcome> {
    const { mode } = this.#options;
    this.#tellBeginning();
    this.#noticeStop();
    for (;;) {
      if (this.#suspended) return { outcome: 'suspended' };
      const action = nextAction(this.#log.state, mode, this.#clock());
      if (action.type === 'none') return { outcome: 'ended' };
      if (beginsIteration(action) && (await this.#letOthersPass())) continue;
      await this.#perform(action);
    }
  }

  /** Ends the run with the error, where its log still takes one. */
  async fail(error: unknown): Promise<RunLoopOutcome> {
    if (error instanceof AppError && error.code === 'stale_epoch') return { outcome: 'superseded' };
    if (this.#suspended) return { outcome: 'suspended', error };
    const { state } = this.#log;
    if (state.ended) return { outcome: 'ended', error };
    if (!isReady(state)) return { outcome: 'broken', error };
    try {
      const interrupted = interruptedCall(state, 'The program failed while this call ran.');
      await this.#log.append([
        ...(interrupted ? [interrupted] : []),
        runEnded(state, { reason: 'error', error: errorShape(error) }),
      ]);
      return { outcome: 'ended', error };
    } catch (second) {
      return { outcome: 'broken', error: new AggregateError([error, second], 'The run could not be ended') };
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#progress.flush();
    // Tools that never opened have told why already; a failing close must not change how the run ended.
    await this.#tools?.then((tools) => tools.close()).catch(() => {});
  }

  get #suspended(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  /** Gives the place away when others wait for it, and has the model loaded again afterwards. */
  async #letOthersPass(): Promise<boolean> {
    const passed = this.#othersPassed;
    if (!passed && this.#log.state.iteration <= this.#placeSince) return false;
    const askedAt = performance.now();
    if (!passed && !(await this.#options.letOthersPass?.())) return false;
    const waitedMs = performance.now() - askedAt;
    this.#othersPassed = false;
    const state = this.#ready();
    this.#placeSince = state.iteration;
    if (this.#suspended || state.stop) return true;
    await this.#prepare(async () => {
      await this.#loadModel(requestedWindow(state), { waited_ms: waitedMs });
      await this.#warnOfChanges();
    });
    return true;
  }

  /** Says once, and with what it costs, that runs of other models make Ollama load this one again and again. */
  async #warnOfChanges(): Promise<void> {
    const { loaded, config } = this.#ready();
    if (this.#warnedOfChanges || !loaded || loaded.already_loaded) return;
    this.#warnedOfChanges = true;
    await this.#append([
      {
        type: 'policy.warned',
        code: 'models_take_turns',
        message:
          `While this run let others pass, Ollama gave up ${config.model} and has loaded it anew, in ` +
          `${(loaded.load_ms / 1000).toFixed(1)} s. As long as runs of several models take turns, each change costs a load. ` +
          'Stop one of them, or let them use one model.',
      },
    ]);
  }

  /** A cut is told each time. A template that leaves something out does so in every call: that is told once. */
  #promptAlarm(request: Parameters<typeof promptCut>[1], evaluated: number | undefined): NewEvent[] {
    const alarm = promptCut(this.#ready(), request, evaluated);
    if (!alarm || (alarm.code === 'prompt_unread' && this.#toldOfUnread)) return [];
    this.#toldOfUnread ||= alarm.code === 'prompt_unread';
    return [alarm];
  }

  /** The caller has written that the run begins: whoever listens to this loop has not heard of it. */
  #tellBeginning(): void {
    const { state } = this.#log;
    if (state.ended) return;
    const type = state.resumes > 0 ? 'run.resumed' : 'run.started';
    this.#progress.event({ type, worker: state.worker ?? '', epoch: state.epoch }, state);
  }

  /** A stop is appended by others: the loop only sees that it is there. */
  #noticeStop(): void {
    const stopped = signalWhen(this.#log, ({ stop }) => stop !== undefined, this.#closed.signal);
    const notice = () => {
      const { state } = this.#log;
      if (!state.ended) this.#progress.event({ type: 'stop.requested', force: false, by: 'operator' }, state);
    };
    if (!this.#log.state.stop) stopped.addEventListener('abort', notice, { once: true });
  }

  #ready(): ReadyState {
    const { state } = this.#log;
    if (!isReady(state)) throw new RangeError(`Run ${state.runId} has no configuration yet`);
    return state;
  }

  async #append(events: readonly NewEvent[]): Promise<RunState> {
    const state = await this.#log.append(events);
    for (const event of events) this.#progress.event(event, state);
    return state;
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
    await this.#append(events);
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

  /** Tries a step of the preparation; a failure of the server is answered like one of a call (DESIGN 4). */
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
    const server = await model.ping(this.#abort);
    const details = await model.show(config.model, this.#abort);
    const sandbox = mode.usesTools
      ? (await this.#openTools()).sandbox
      : { available: false, kind: 'none', reason: 'This run uses no tools.' };
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
    await this.#append(events);
  }

  /** @param why what led to it in the midst of a run: a wait for its place, or a model that others took away */
  async #loadModel(
    numCtx: number,
    why: Pick<EventOf<'model.load-started'>, 'cause' | 'found_context_tokens' | 'waited_ms'> = {},
  ): Promise<void> {
    const { config } = this.#ready();
    await this.#append([{ type: 'model.load-started', model: config.model, num_ctx: numCtx, ...why }]);
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
      },
    ];
    if (loaded.contextTokens !== undefined && loaded.contextTokens < requestedWindow(this.#ready())) {
      events.push({
        type: 'policy.warned',
        code: 'window_smaller_than_asked',
        message: `Ollama loaded the model with a window of ${loaded.contextTokens} tokens instead of ${numCtx}.`,
      });
    }
    await this.#append(events);
  }

  async #openAttempt(attempt: number): Promise<void> {
    const { mode } = this.#options;
    const opened = mode.usesTools ? await this.#openTools() : undefined;
    const tools = mode.offer(opened?.toolbox.definitions ?? []);
    const { workspacePrompt, logPath } = opened ?? {};
    await this.#append(mode.open(this.#ready(), { attempt, tools, workspacePrompt, logPath }));
  }

  async #callModel(events: readonly NewEvent[]): Promise<void> {
    if (await this.#loadedAgain()) return;
    await this.#append(events);
    const { mode } = this.#options;
    const state = this.#ready();
    const request = buildRequest(state, mode);
    const startedAt = performance.now();
    const heard: { thinking_ms?: number; text_ms?: number } = {};
    let outcome: NewEvent[];
    let tidying = false;
    try {
      const reply = await withinGrace(
        this.#options.model.chat(request, {
          signal: this.#abort,
          timeoutMs: state.config.call_timeout_ms,
          onDelta: this.#showText(state.calls, (type) => {
            heard[type === 'text' ? 'text_ms' : 'thinking_ms'] = performance.now() - startedAt;
          }),
          onTidying: () => {
            tidying = true;
          },
        }),
        this.#abort,
        // A slot that is freed after the end of the run would be freed unlogged, and under the hands of the next run. A
        // shutdown does not wait: whoever resumes the run asks for the slot before it calls.
        { graceMs: this.#graceMs, isTidying: () => tidying && !this.#suspended },
      );
      const duration = performance.now() - startedAt;
      outcome =
        reply === ABANDONED
          ? [callFailed(state.calls, abandonedCall(), duration)]
          : [
              ...readReply(this.#ready(), reply, duration, heard),
              ...this.#promptAlarm(request, reply.promptTokens),
            ];
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const failure = mode.failure?.(error) ?? error;
      this.#slotFreed = error.letGo?.unloaded ?? false;
      const duration = performance.now() - startedAt - (error.letGo?.afterMs ?? 0);
      outcome = [{ ...callFailed(state.calls, failure, duration), ...letGoFacts(error) }];
    }
    // A run that is suspended sends the call again when it is resumed: this one must leave no trace.
    if (!this.#suspended) await this.#append(outcome);
  }

  /**
   * Another client, or the model's own time, may have had it unloaded or loaded with another window. Looked at before each
   * call, so that the load is seen as one and never counts against the limit of the call (K-25). Once per call: two
   * clients that take it from each other must not keep the run from its work.
   */
  async #loadedAgain(): Promise<boolean> {
    const state = this.#ready();
    const { inMemory } = this.#options.model;
    const { loaded, config, calls } = state;
    if (!inMemory || !loaded || this.#loadedBefore === calls || this.#abort.aborted) return false;
    // A server that did not list the model when it was loaded cannot tell that it is gone.
    if (loaded.size_bytes === undefined && loaded.context_tokens === undefined) return false;
    let found: MemoryModel | undefined;
    try {
      found = await inMemory(config.model, this.#abort);
    } catch (error) {
      // The call itself meets whatever is wrong with the server.
      if (error instanceof ModelError) return false;
      throw error;
    }
    const other = found?.contextTokens !== loaded.context_tokens && loaded.context_tokens !== undefined;
    if (found && !other) return false;
    this.#loadedBefore = calls;
    await this.#prepare(() =>
      this.#loadModel(requestedWindow(state), {
        cause: found ? 'other_window' : this.#slotFreed ? 'slot_freed' : 'unloaded',
        ...(found?.contextTokens ? { found_context_tokens: found.contextTokens } : {}),
      }),
    );
    return true;
  }

  /** Passes on text and thinking as they are written, with their place in the whole, and tells when each begins. */
  #showText(call: number, onBegin: (type: 'text' | 'thinking') => void): (delta: ChatDelta) => void {
    const written = { text: 0, thinking: 0 };
    const since: { text?: number; thinking?: number } = {};
    const show = (type: 'text' | 'thinking', text: string | undefined) => {
      if (!text || this.#log.state.openCall?.call !== call) return;
      if (since[type] === undefined) onBegin(type);
      since[type] ??= this.#clock();
      this.#log.delta({ type, call, offset: written[type], text, since: since[type] });
      this.#progress.tokens(type === 'text' ? 'token' : 'thinking', text, this.#log.state);
      written[type] += text.length;
    };
    return ({ thinking, text }) => {
      show('thinking', thinking);
      show('text', text);
    };
  }

  /**
   * Waits for a decision, a stop or the end of the time, without a place at the model server: a person may take hours. The
   * next look at the log says what it was.
   */
  async #awaitApproval(waitMs: number | undefined): Promise<void> {
    const { mode, withoutPlace } = this.#options;
    const spent = waitMs === undefined ? [] : [AbortSignal.timeout(Math.min(waitMs, MAX_TIMER_MS))];
    const signal = AbortSignal.any([this.#abort, ...spent]);
    const wait = async () => {
      do await this.#log.changed(this.#log.state.seq, signal);
      while (!signal.aborted && nextAction(this.#log.state, mode).type === 'await-approval');
    };
    if (!withoutPlace) await wait();
    else if (await withoutPlace(wait)) this.#othersPassed = true;
  }

  async #executeCall({ call, events }: Extract<Action, { type: 'execute-call' }>): Promise<void> {
    const { toolbox, alwaysAsk } = await this.#openTools();
    if (alwaysAsk?.includes(call.name) && !this.#log.state.approvals[call.callId]) {
      const { iteration } = this.#log.state;
      await this.#append([...events.slice(0, -1), approvalRequested(call, iteration)]);
      return;
    }
    await this.#append(events);
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
        },
      ),
      this.#abort,
      { graceMs: this.#graceMs },
    );
    this.#fault('after:tool-effect');
    if (this.#suspended) return;
    const abandoned =
      result === ABANDONED ? interruptedCall(this.#log.state, 'The run was stopped.') : undefined;
    if (abandoned) await this.#append([abandoned]);
    if (result === ABANDONED) return;
    const note = editNote(this.#log.state, call);
    await this.#append([
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
    // A comparison that was cut short says nothing; the next step looks at why.
    if (events !== ABANDONED && !this.#abort.aborted) await this.#append(events);
  }

  /** Passes on what a command prints while it runs. */
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
    const checks = await withinGrace(
      tools.runChecks(state.config.checks, { signal: this.#abort }),
      this.#abort,
      { graceMs: this.#graceMs },
    );
    // Checks that a stop cut short say nothing about the work.
    if (checks === ABANDONED || this.#abort.aborted) return;
    await this.#append([
      { type: 'verification.checked', attempt, outcome: verificationOutcome(checks, reason), checks },
    ]);
  }

  /** Opened once, when first needed. */
  #openTools(): Promise<OpenedTools> {
    this.#tools ??= this.#options.openTools(this.#ready().config);
    return this.#tools;
  }
}

function beginsIteration(action: Action): boolean {
  return action.type === 'call-model' && action.events.some(({ type }) => type === 'iteration.started');
}

function callFailed(
  call: number,
  error: ModelError,
  durationMs: number,
): Extract<NewEvent, { type: 'model-call.failed' }> {
  const { kind, transient, status, promptTokens, contextTokens, partialText, raw } = error;
  return {
    type: 'model-call.failed',
    call,
    kind,
    error: errorShape(error),
    transient,
    ...(status === undefined ? {} : { status }),
    ...(promptTokens === undefined ? {} : { prompt_tokens: promptTokens }),
    ...(contextTokens === undefined ? {} : { context_tokens: contextTokens }),
    ...(partialText === undefined ? {} : { partial_text: partialText }),
    ...(raw === undefined ? {} : { raw }),
    duration_ms: durationMs,
  };
}

/** After a stop, when Ollama let go; after any call, whether the model had to be unloaded for it. */
function letGoFacts({ kind, letGo }: ModelError) {
  return {
    ...(kind === 'aborted' && letGo && { server_idle_ms: letGo.afterMs }),
    ...(letGo?.unloaded && { freed_slot: true }),
  };
}

function abandonedCall(): ModelError {
  return new ModelError({
    kind: 'aborted',
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
    message: `The program made a mistake: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'This is no fault of the model or the task. Start the run again; if it happens again, report it.',
  };
}
