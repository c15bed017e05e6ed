import { setTimeout as delay } from 'node:timers/promises';
import { AppError, errorParts } from '../errors/app-error.ts';
import { isAddedTool } from '../events/added-tools.ts';
import type { ApprovalScope } from '../events/approval.ts';
import { argumentsToRun } from '../events/call-arguments.ts';
import { isRubric } from '../events/check-kinds.ts';
import type { NamedImage } from '../events/image.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import type { AttemptOutcome, PendingCall, RunState } from '../events/run-state.ts';
import { isSettingOf } from '../events/settings.ts';
import { requestedWindow } from '../events/window.ts';
import type { ChatDelta, ChatModel, ChatRequest } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import type { Mode } from '../modes/mode.ts';
import {
  approvalRequested,
  approvedBefore,
  callsToAsk,
  editNote,
  type StandingApproval,
} from '../policies/approval.ts';
import { runTimeMs } from '../policies/budget.ts';
import { afterFailedPreparation, type Failure } from '../policies/failure.ts';
import { promptCut } from '../policies/prompt-cut.ts';
import { isReady, type ReadyState } from '../policies/rule.ts';
import { imagesUnseen } from '../policies/unseen-images.ts';
import { outcomeOfChecks } from '../policies/verification.ts';
import type { ToolFact } from '../tools/tool.ts';
import { durationWords } from '../util/durations.ts';
import { GrowingText } from '../util/growing-text.ts';
import { shortText } from '../util/short-text.ts';
import type { Action } from './action.ts';
import { operatorAnswered, operatorFailed, operatorRequest } from './ask-operator.ts';
import { awaitServer } from './await-server.ts';
import { buildRequest } from './build-request.ts';
import { callFailed, cleanupFacts, errorShape } from './call-failed.ts';
import { CallsAhead, callsBeside } from './calls-ahead.ts';
import { checkAttempt } from './check-attempt.ts';
import { compareReflections } from './compare-reflections.ts';
import { type FaultHook, fault } from './fault.ts';
import { interruptedCall } from './interrupted-call.ts';
import { judgeInThread } from './judge-in-thread.ts';
import { judgeRubrics } from './judge-rubric.ts';
import { conclude, nextAction } from './next-action.ts';
import type { OpenedTools, OpenTools } from './open-tools.ts';
import { readReply } from './read-reply.ts';
import { ResidencyCheck } from './residency-check.ts';
import { runEnded } from './result-of.ts';
import { type RunImages, withImageBytes } from './run-images.ts';
import type { RunLog } from './run-log.ts';
import type { RunLoopOutcome } from './run-loop-outcome.ts';
import { SeenResults } from './seen-results.ts';
import { ServerRequests } from './server-requests.ts';
import { ABANDONED, firstAborted, signalWhen, withinGrace } from './stop-signals.ts';
import { factEvent, toolRun } from './tool-facts.ts';

const STOP_GRACE_MS = 5000;
/** Abort reason once the loop has ended. Without one, Node creates an error with a stack trace each time. */
const CLOSED = 'closed';
/** Length of the message to a model whose answer does not fit its schema. */
const MAX_PROBLEM_CHARS = 2000;

export interface RunLoopOptions {
  log: RunLog;
  model: ChatModel;
  mode: Mode;
  openTools: OpenTools;
  /** The images of the run. If missing, images that tools return are left out. */
  images?: RunImages;
  /** Aborted at shutdown: running work is cancelled and nothing more is appended, so that the run can be resumed. */
  signal?: AbortSignal;
  /**
   * Called before a new iteration. Resolves to `true` if the run yielded its slot at the model server and got it
   * back, in which case the model may have been unloaded.
   */
  yieldToOthers?: () => Promise<boolean>;
  /** Called before a wait for the operator or for a server that is down: releases the run's slot there. */
  leaveSlot?: () => Promise<void>;
  /**
   * Called before the model server is used: waits for a slot, and resolves to whether others may have used the server
   * since the run left its slot; `undefined` if it has one. A stop ends the wait, and so does the signal, with its reason:
   * two concurrent waits would get two slots.
   */
  takeSlot?: (until?: AbortSignal) => Promise<boolean | undefined>;
  /**
   * Finds an approval from this or an earlier run for all calls of a tool in this run's folder. Missing if no such
   * approval can be given.
   */
  standingApproval?: (tool: string) => Promise<{ run_id: string; seq: number } | undefined>;
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
  /** Milliseconds to add to the clock, which may stop during a wait for the operator, unlike the times of events. */
  #clockShift = 0;
  readonly #graceMs: number;
  readonly #closed = new AbortController();
  /** Aborted by a forced stop, a shutdown, or a log that cannot be written. */
  readonly #abort: AbortSignal;
  #tools: Promise<OpenedTools> | undefined;
  /** The iteration in which the run got its slot. It completes at least one more before it yields. */
  #slotSince: number;
  #hasSlot = false;
  /** Waits for a slot before server and model were checked, in milliseconds, which no load has recorded yet. */
  #waitedBeforeCheckMs = 0;
  #warnedOfChanges = false;
  readonly #results = new SeenResults();
  readonly #ahead = new CallsAhead();
  /** Images returned by running calls, by call. */
  readonly #returnedImages = new Map<string, NamedImage[]>();
  /** Images of the last request, in base64. */
  readonly #sentImages = new Map<string, string>();
  readonly #residency: ResidencyCheck;
  readonly #serverRequests: ServerRequests;
  /** Whether the last call failed and the model was unloaded to free its slot. */
  #slotFreed = false;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#fault = options.fault ?? fault;
    this.#graceMs = options.stopGraceMs ?? STOP_GRACE_MS;
    this.#slotSince = options.log.state.iteration;
    const forced = signalWhen(options.log, (state) => state.stop?.force ?? false, this.#closed.signal);
    const causes = [...(options.signal ? [options.signal] : []), forced, options.log.failed];
    this.#abort = firstAborted(causes, this.#closed.signal);
    this.#residency = new ResidencyCheck(options.model, this.#abort);
    this.#serverRequests = new ServerRequests({
      log: options.log,
      model: options.model,
      abort: this.#abort,
      withoutSlot: (wait) => this.#withoutSlot(wait),
      takeSlot: (until) => this.#takeSlotDuringCall(until),
    });
  }

  async run(): Promise<RunLoopOutcome> {
    const { mode } = this.#options;
    for (;;) {
      if (this.#suspended) return { outcome: 'suspended' };
      this.#log.failed.throwIfAborted();
      const action = nextAction(this.#log.state, mode, this.#now());
      if (action.type === 'none') {
        await this.#log.durable();
        return { outcome: 'ended' };
      }
      if (action.type === 'await-message') {
        const { seq } = this.#log.state;
        await this.#log.durable();
        if (this.#log.state.seq === seq) return { outcome: 'waiting' };
        continue;
      }
      if (usesModel(action) && (await this.#takeSlot())) continue;
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
    this.#closed.abort(CLOSED);
    // Tools that failed to open have already reported why, and a failing close must not change how the run ended.
    await this.#tools?.then((tools) => tools.close()).catch(() => {});
  }

  get #suspended(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  /** Milliseconds since 1970, for time limits. */
  #now(): number {
    return (this.#options.clock ?? Date.now)() + this.#clockShift;
  }

  /**
   * Waits for a slot if the run has none, then loads the model if needed. The load records the wait, which is not run
   * time.
   *
   * @returns whether the next action must be determined again
   */
  async #takeSlot(): Promise<boolean> {
    if (this.#hasSlot) return false;
    const askedAt = performance.now();
    const othersPassed = await this.#options.takeSlot?.();
    const waitedMs = performance.now() - askedAt;
    const state = this.#ready();
    if (this.#suspended || state.stop) return true;
    this.#hasSlot = true;
    this.#slotSince = state.iteration;
    if (othersPassed === undefined) return false;
    if (!state.preflight) {
      this.#waitedBeforeCheckMs += waitedMs;
      return false;
    }
    if (state.loaded && !othersPassed) return false;
    await this.#reloadModel(waitedMs);
    return true;
  }

  /**
   * Waits for a slot, but leaves loading to the model server: a failed load must not end the run during a call.
   *
   * @throws the reason of the signal
   */
  async #takeSlotDuringCall(until?: AbortSignal): Promise<boolean> {
    if (!this.#hasSlot) {
      await this.#options.takeSlot?.(until);
      const { stop, iteration } = this.#log.state;
      if (this.#suspended || stop) return false;
      this.#hasSlot = true;
      this.#slotSince = iteration;
    }
    return true;
  }

  /** Yields the slot if others wait for it, and reloads the model afterwards. */
  async #yieldToOthers(): Promise<boolean> {
    if (this.#log.state.iteration <= this.#slotSince) return false;
    const askedAt = performance.now();
    if (!(await this.#options.yieldToOthers?.())) return false;
    const waitedMs = performance.now() - askedAt;
    const state = this.#ready();
    this.#slotSince = state.iteration;
    if (!this.#suspended && !state.stop) await this.#reloadModel(waitedMs);
    return true;
  }

  /** Loads the model after others may have used the server. @param waitedMs the wait for the slot, not run time */
  #reloadModel(waitedMs: number): Promise<void> {
    const { loaded } = this.#log.state;
    return this.#prepare(async () => {
      await this.#loadModel(requestedWindow(this.#ready()), { waited_ms: waitedMs });
      if (loaded) await this.#warnOfChanges();
    });
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

  #perform(action: Exclude<Action, { type: 'none' | 'await-message' }>): Promise<void> {
    switch (action.type) {
      case 'append':
        return this.#appendAndWait(action);
      case 'check-model':
        return this.#prepare(() => this.#checkModel());
      case 'await-server':
        return this.#awaitServer(action.limitMs);
      case 'load-model':
        return this.#prepare(() => this.#loadFirst(action.numCtx));
      case 'open-attempt':
        return this.#openAttempt(action.attempt);
      case 'call-model':
        return this.#callModel(action.events);
      case 'ask-approval':
        return this.#askApproval(action.call, action.events);
      case 'await-approval':
        return this.#awaitApproval();
      case 'execute-call':
        return this.#executeCall(action);
      case 'ask-operator':
        return this.#askOperator(action.call);
      case 'compare-reflections':
        return this.#compareReflections(action.model);
      case 'check-answer':
        return this.#checkAnswer();
      case 'verify':
        return this.#verify(action.attempt);
    }
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#options.sleep?.(ms, signal) ?? delay(ms, undefined, { signal });
  }

  async #appendAndWait({ events, waitMs }: Extract<Action, { type: 'append' }>): Promise<void> {
    this.#append(events);
    if (!waitMs) return;
    await this.#untilStop(async (signal) => {
      try {
        await this.#sleep(waitMs, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
  }

  /** Waits with a signal that is aborted by any stop, even one that lets running calls finish. */
  async #untilStop(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const done = new AbortController();
    const stopped = signalWhen(this.#log, (state) => state.stop !== undefined, done.signal);
    try {
      await wait(AbortSignal.any([this.#abort, stopped]));
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
      const state = this.#ready();
      // A stop comes first, as after a failed call, and lets the calls of a reply finish.
      if (this.#abort.aborted || state.stop) return;
      const verdict = afterFailedPreparation(state, failureOf(error), this.#now());
      await this.#appendAndWait(verdict.type === 'append' ? verdict : conclude(state, verdict.ending));
    }
  }

  /** Waits for a server that is down without holding a slot there, so other runs need not wait for this one. */
  async #awaitServer(limitMs: number): Promise<void> {
    const startedAt = performance.now();
    const wait = async (stopped: AbortSignal) => {
      const outcome = await awaitServer({
        ping: (signal) => this.#options.model.ping(signal),
        signal: stopped,
        limitMs,
        clock: () => this.#now(),
        sleep: (ms, signal) => this.#sleep(ms, signal),
        onPause: (at) => this.#log.delta({ type: 'server-wait', next_try_at: at }),
      });
      const waited_ms = performance.now() - startedAt;
      if (outcome) this.#append([{ type: 'server-wait.ended', outcome, waited_ms }]);
    };
    await this.#untilStop((stopped) => this.#withoutSlot(() => wait(stopped)));
  }

  /** Waits without holding a slot at the model server. None of that time counts towards the time budget. */
  async #withoutSlot(wait: () => Promise<void>): Promise<void> {
    const before = runTimeMs(this.#log.state, this.#now());
    if (this.#hasSlot) {
      this.#hasSlot = false;
      await this.#options.leaveSlot?.();
    }
    await wait();
    this.#clockShift += before - runTimeMs(this.#log.state, this.#now());
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
    const tools = await asked.tools;
    const sandbox = tools?.sandbox ?? {
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
        ...(details.templateHash === undefined ? {} : { template_hash: details.templateHash }),
        size_bytes: details.sizeBytes,
        ...(details.remote && { remote_host: details.remote.host }),
        sandbox,
        ...(tools?.mcpServers?.length ? { mcp_servers: tools.mcpServers } : {}),
      },
    ];
    const hasImages = config.images || this.#log.state.messages.some(({ images }) => images);
    if (hasImages && !details.capabilities?.includes('vision')) events.push(imagesUnseen(config.model));
    if (details.maxContextTokens !== undefined && details.maxContextTokens < config.window_tokens) {
      events.push({
        type: 'policy.warned',
        code: 'window_lowered',
        message: `${config.model} holds ${details.maxContextTokens} tokens at most: the window is ${details.maxContextTokens} instead of ${config.window_tokens}.`,
      });
    }
    this.#append(events);
  }

  /** Loads the model after the check, or again after a failure. It records a wait for a slot before the check. */
  #loadFirst(numCtx: number): Promise<void> {
    const waited = this.#waitedBeforeCheckMs;
    this.#waitedBeforeCheckMs = 0;
    return this.#loadModel(numCtx, waited > 0 ? { waited_ms: waited } : {});
  }

  /** @param why the cause of a load during a run: a wait for its slot, or other clients that unloaded the model */
  async #loadModel(
    numCtx: number,
    why: Pick<EventOf<'model.load-started'>, 'cause' | 'found_context_tokens' | 'waited_ms'> = {},
  ): Promise<void> {
    const { config, loaded: before, preflight } = this.#ready();
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
    const isReplaced = preflight?.digest !== undefined && loaded.digest !== preflight.digest;
    const replaced = isReplaced ? loaded.digest : undefined;
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
        ...(replaced !== undefined && { digest: replaced }),
      },
    ];
    if (replaced !== undefined && replaced !== before?.digest) {
      events.push({
        type: 'policy.warned',
        code: 'model_replaced',
        message:
          `${config.model} is no longer the model that this run began with: it was pulled or created again. ` +
          'The run goes on with the new version, which may answer differently.',
      });
    }
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
    const request = await this.#withImages(buildRequest(state, mode));
    const startedAt = performance.now();
    const heard: { thinking_ms?: number; text_ms?: number } = {};
    const streamed: Streamed = { text: new GrowingText(), thinking: new GrowingText() };
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

  /** The request with the bytes of its images, or the request itself in a run without images. */
  async #withImages(request: ChatRequest): Promise<ChatRequest> {
    if (this.#log.state.images.kept.size === 0) return request;
    const load = this.#options.images?.load ?? (async () => undefined);
    return withImageBytes(request, load, this.#sentImages);
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
      since[type] ??= this.#now();
      this.#log.delta({ type, call, offset: streamed[type].length, text, since: since[type] });
      streamed[type].add(text);
    };
    return ({ thinking, text }) => {
      show('thinking', thinking);
      show('text', text);
    };
  }

  /** @param opening events to append first */
  async #askApproval(call: PendingCall, opening: readonly NewEvent[]): Promise<void> {
    const { toolbox, alwaysAsk = [] } = await this.#openTools();
    const standing = await this.#standingApproval(call.name, alwaysAsk);
    if (standing) {
      this.#append([...opening, approvedBefore(call, standing)]);
      return;
    }
    const state = this.#ready();
    // No approval is requested after a stop.
    if (state.stop) {
      this.#append([...opening, ...conclude(state, { reason: 'stopped' }).events]);
      return;
    }
    const asked: NewEvent[] = [];
    for (const each of callsToAsk(state, call, alwaysAsk)) {
      // A call covered by an earlier approval is approved when its turn comes, if it is still covered.
      if (each !== call && (await this.#standingApproval(each.name, alwaysAsk))) continue;
      const file = await toolbox.fileBefore?.({ name: each.name, arguments: each.arguments });
      const scopes = this.#scopesOf(each.name, alwaysAsk);
      asked.push(approvalRequested(each, { iteration: state.iteration, file, scopes }));
    }
    this.#append([...opening, ...asked]);
  }

  /** The scopes that the operator can choose for an approval; some tools need one for each call. */
  #scopesOf(tool: string, alwaysAsk: readonly string[]): ApprovalScope[] {
    const isKnown = this.#log.state.tools.some((each) => each.function.name === tool);
    if (!isKnown || alwaysAsk.includes(tool)) return ['once'];
    // Another server can get the same name, and other hosts can be listed, so an approval ends with the run.
    if (isAddedTool(tool)) return ['once', 'run'];
    return this.#options.standingApproval ? ['once', 'run', 'tool_and_folder'] : ['once', 'run'];
  }

  /** An earlier approval that covers calls of the tool. */
  async #standingApproval(tool: string, alwaysAsk: readonly string[]): Promise<StandingApproval | undefined> {
    if (!this.#scopesOf(tool, alwaysAsk).includes('run')) return undefined;
    const { runId, forked, approvedTools } = this.#log.state;
    const seq = Object.hasOwn(approvedTools, tool) ? approvedTools[tool] : undefined;
    if (seq !== undefined) return { scope: 'run', seq };
    // An approval of this run may still be on its way to the store.
    await this.#log.durable();
    const found = await this.#options.standingApproval?.(tool);
    // The conversation of a fork may have been edited or imported, so the operator decides there again.
    if (!found || (forked && found.run_id !== runId)) return undefined;
    return { scope: 'tool_and_folder', ...found };
  }

  /**
   * Waits for a decision or a stop without a slot, because the operator may take hours. The next `nextAction` sees the
   * outcome.
   */
  #awaitApproval(): Promise<void> {
    const { mode } = this.#options;
    return this.#withoutSlot(async () => {
      while (!this.#abort.aborted && nextAction(this.#log.state, mode).type === 'await-approval') {
        await this.#log.changed(this.#log.state.seq, this.#abort);
      }
    });
  }

  async #executeCall({ call, events }: Extract<Action, { type: 'execute-call' }>): Promise<void> {
    const { toolbox, alwaysAsk } = await this.#openTools();
    // An earlier approval does not count where commands are no longer confined.
    const decidedBy = this.#log.state.approvals[call.callId]?.decided?.by;
    if (alwaysAsk?.includes(call.name) && decidedBy !== 'operator') {
      return this.#askApproval(call, events.slice(0, -1));
    }
    const asked = { name: call.name, arguments: argumentsToRun(this.#log.state, call) };
    const file = await toolbox.fileBefore?.(asked);
    this.#append(file ? events.map((event) => withFile(event, file)) : events);
    if (!toolbox.isReadOnly(call.name)) await this.#log.durable();
    const facts: ToolFact[] = [];
    this.#fault('before:tool-effect');
    const { runId } = this.#log.state;
    const pausedBefore = this.#serverRequests.pausedMs;
    const begun = this.#ahead.take(call.callId, () =>
      toolbox.execute(asked, {
        signal: this.#abort,
        onOutput: this.#showOutput(call.callId),
        onImage: this.#takeImage(call.callId),
        run: toolRun(this.#log.state, facts),
        ask: this.#serverRequests.askFor(call),
        call: { runId, callId: call.callId },
      }),
    );
    for (const other of callsBeside(this.#ready(), call, toolbox.isIndependent)) {
      this.#ahead.begin(other.callId, () =>
        toolbox.execute(
          { name: other.name, arguments: other.arguments },
          {
            signal: this.#abort,
            onImage: this.#takeImage(other.callId),
            call: { runId, callId: other.callId },
          },
        ),
      );
    }
    const result = await withinGrace(begun.result, this.#abort, { graceMs: this.#graceMs });
    this.#fault('after:tool-effect');
    if (this.#suspended) return;
    const abandoned =
      result === ABANDONED ? interruptedCall(this.#log.state, 'The run was stopped.') : undefined;
    if (abandoned) this.#append([abandoned]);
    if (result === ABANDONED) return;
    const { images, refusals } = await this.#keepImages(call.callId);
    if (this.#suspended) return;
    const notes = [result.note, ...refusals, editNote(this.#log.state, call)].filter(
      (note) => note !== undefined,
    );
    const shown = notes.length === 0 ? result : { ...result, note: notes.join(' ') };
    const state = this.#ready();
    this.#append([
      ...facts.map((fact) => factEvent(fact, call, this.#log.state)),
      {
        type: 'tool-call.ended',
        call_id: call.callId,
        tool: call.name,
        result: shown,
        ...(images.length > 0 && { images }),
        ...(isSettingOf(state.config.mode, 'stall_guard') && {
          new_information: this.#results.isNew(state, call, shown, images.length > 0 ? images : undefined),
        }),
        duration_ms: Math.max(0, begun.durationMs() - (this.#serverRequests.pausedMs - pausedBefore)),
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
      return await images.keep(returned, this.#log.state.images.kept, this.#abort);
    } catch (error) {
      if (!this.#abort.aborted) throw error;
      return { images: [], refusals: ['The run was stopped before its images were kept.'] };
    }
  }

  /** Asks the model that answers the agent's messages. A failure costs the answer, not the run. */
  async #askOperator(call: PendingCall): Promise<void> {
    const state = this.#ready();
    const { started, request } = operatorRequest(state, call);
    this.#append([started]);
    const { model } = request;
    const startedAt = performance.now();
    const context = { signal: this.#abort, timeoutMs: state.config.call_timeout_ms };
    let outcome: NewEvent[];
    try {
      const reply = await withinGrace(this.#options.model.chat(request, context), this.#abort, {
        graceMs: this.#graceMs,
      });
      if (reply === ABANDONED) return;
      outcome = operatorAnswered(this.#ready(), call, {
        ...{ model, reply, durationMs: performance.now() - startedAt },
      });
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      outcome = operatorFailed(call, { model, error, durationMs: performance.now() - startedAt });
    }
    // After a stop the next step handles the cause; a suspended run asks again when it is resumed.
    if (!this.#abort.aborted) this.#append(outcome);
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

  async #checkAnswer(): Promise<void> {
    const { config, reply, iteration } = this.#ready();
    if (!reply || !config.answer_schema) throw new RangeError('There is no answer to check');
    const check = { type: 'answer_schema', schema: config.answer_schema } as const;
    const { passed, output } = await judgeInThread({ check, answer: reply.text }, { signal: this.#abort });
    // A check cut short by a stop says nothing about the answer.
    if (this.#abort.aborted) return;
    const problem = passed ? {} : { problem: shortText(output, MAX_PROBLEM_CHARS) };
    this.#append([{ type: 'answer.checked', iteration, call: reply.call, fits: passed, ...problem }]);
  }

  async #verify(attempt: number): Promise<void> {
    const state = this.#ready();
    const ended = state.attempts.at(-1);
    if (!ended) throw new RangeError(`Run ${state.runId} has no attempt to check`);
    const openTools = async () => {
      await this.#log.durable(); // checks run commands
      return this.#openTools();
    };
    const checks = await withinGrace(
      checkAttempt(state, ended, { openTools, signal: this.#abort }),
      this.#abort,
      { graceMs: this.#graceMs },
    );
    // Checks cut short by a stop say nothing about the work.
    if (checks === ABANDONED || this.#abort.aborted) return;
    const outcome = outcomeOfChecks(checks, { reason: ended.reason, cut: state.lastReplyCut });
    const opinions = await this.#opinions(ended);
    if (this.#abort.aborted) return;
    this.#append([{ type: 'verification.checked', attempt, outcome, checks, ...opinions }]);
  }

  /** The opinions of models on the answer, if the run asks for them. */
  async #opinions(
    ended: AttemptOutcome,
  ): Promise<Pick<EventOf<'verification.checked'>, 'opinions' | 'waited_ms'>> {
    const state = this.#ready();
    if (!state.config.checks.some(isRubric)) return {};
    const asked = {
      ...{ model: this.#options.model, signal: this.#abort },
      takeSlot: async () => {
        if (this.#hasSlot) return { hasSlot: true, waitedMs: 0 };
        const askedAt = performance.now();
        const hasSlot = await this.#takeSlotDuringCall();
        return { hasSlot, waitedMs: performance.now() - askedAt };
      },
    };
    const judged = await withinGrace(judgeRubrics(state, ended, asked), this.#abort, {
      graceMs: this.#graceMs,
    });
    if (judged === ABANDONED) return {};
    const { opinions, waitedMs } = judged;
    return { opinions, ...(waitedMs > 0 && { waited_ms: waitedMs }) };
  }

  /** Opened once, on first use. */
  #openTools(): Promise<OpenedTools> {
    this.#tools ??= this.#options.openTools(this.#ready().config, this.#abort);
    return this.#tools;
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

/** The intent of a call with the file that it is about to change. */
function withFile(event: NewEvent, file: EventOf<'tool-call.started'>['file']): NewEvent {
  return event.type === 'tool-call.started' ? { ...event, file } : event;
}

/** The streamed part of a reply. */
interface Streamed {
  readonly text: GrowingText;
  readonly thinking: GrowingText;
}

function abandonedCall({ text, thinking }: Streamed): ModelError {
  return new ModelError({
    kind: 'aborted',
    code: 'model_call_abandoned',
    partialText: `${text}` || undefined,
    partialThinking: `${thinking}` || undefined,
    message: 'The model call was stopped and did not end in time.',
    hint: 'Ollama may still be working on it. Check its log, or restart it.',
  });
}

function failureOf(error: ModelError): Failure {
  return { kind: error.kind, transient: error.transient, ...errorParts(error) };
}
