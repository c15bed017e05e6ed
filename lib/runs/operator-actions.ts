import { isDeepStrictEqual } from 'node:util';
import type { RunSummary } from '../api/run-summary.ts';
import { AppError } from '../errors/app-error.ts';
import { foldAll } from '../events/fold-run.ts';
import type { ImageRef, NamedImage } from '../events/image.ts';
import { modeFacts } from '../events/modes.ts';
import { placeEvents } from '../events/place-events.ts';
import { queuedMessages } from '../events/queued-messages.ts';
import type { NewEvent } from '../events/registry.ts';
import type { OperatorMessage, RunState } from '../events/run-state.ts';
import { isSettingOf } from '../events/settings.ts';
import type { RunChanges } from '../feed/run-changes.ts';
import { type ApprovalRequest, decideApprovals } from '../policies/approval.ts';
import { answerServerRequest, type ServerRequestAnswer } from '../policies/server-request.ts';
import type { HostSlots } from '../queue/host-slots.ts';
import type { WaitingRuns } from '../queue/waiting-runs.ts';
import { growthOf } from '../store/growth-of.ts';
import type { ImageStore } from '../store/image-store.ts';
import type { SharedRunStore } from '../store/shared-run-store.ts';
import { isSeqConflict, isStaleEpoch, RunEndedError } from '../store/store-errors.ts';
import { steadyNow } from '../util/steady-clock.ts';
import type { LocalRuns } from './local-runs.ts';
import type { ChooseEvents } from './pending-appends.ts';
import { readAttached } from './run-images.ts';
import type { RunLookup } from './run-lookup.ts';
import type { WriteGuard } from './write-guard.ts';

/** Max messages queued for a run. */
const MAX_QUEUED_MESSAGES = 100;

/** A log to which a person's actions are appended. */
interface OperatorLog {
  /** Resolves when the events that `choose` derives from the latest state are on disk. */
  appendIf(choose: (state: RunState) => readonly NewEvent[]): Promise<RunState>;
}

/** What comes with a message. */
export interface MessageOptions {
  images?: readonly NamedImage[];
  idempotencyKey?: string;
}

/** A message stored by this request, or by an earlier one with the same idempotency key. */
export interface SentMessage {
  run: RunSummary;
  message: OperatorMessage;
  created: boolean;
}

export interface OperatorActionsOptions {
  stored: Pick<RunLookup, 'get' | 'stateOf'>;
  store: Pick<ImageStore, 'keepImages'>;
  runs: Pick<LocalRuns, 'lose'>;
  worker: {
    /** The log of a run that this process works on. */
    logOf(runId: string): Promise<OperatorLog | undefined>;
    /** Appends to a run that waits for a message, and continues it. */
    wake(runId: string, choose: ChooseEvents): Promise<RunState | undefined>;
  };
  slots: Pick<HostSlots, 'leave'>;
  changes: RunChanges;
  guard: Pick<WriteGuard, 'refuseWhenReadOnly'>;
  /** Where several processes share the runs. */
  shared?: { store: Pick<SharedRunStore, 'intervene'>; waiting: WaitingRuns };
}

/** Stops, messages and approvals for an unfinished run, whichever process works on it. */
export class OperatorActions {
  readonly #options: OperatorActionsOptions;

  constructor(options: OperatorActionsOptions) {
    this.#options = options;
  }

  /**
   * Asks a run to end: after the current step, or immediately with `force` (S13, S14). Does nothing if the run has ended.
   *
   * @throws {RunNotFoundError}
   */
  async stop(runId: string, { force }: { force: boolean }): Promise<RunSummary> {
    const { slots, stored } = this.#options;
    await this.#appendIf(runId, ({ ended, stop }) =>
      ended || (stop && (stop.force || !force)) ? [] : [{ type: 'stop.requested', force, by: 'operator' }],
    );
    slots.leave(runId);
    return (await stored.get(runId)).run;
  }

  /**
   * Stores a message to a run. It is delivered at the run's next boundary (in an exploration with the next result of the
   * operator tool). If the run ends first, the message is returned, never lost. A repeated idempotency key returns the
   * first message, even after the end of the run.
   *
   * @throws {AppError} `run_not_found`, `run_ended`, `too_many_messages`, `image_refused`, `idempotency_conflict`
   */
  async message(
    runId: string,
    text: string,
    { images: attached = [], idempotencyKey: key }: MessageOptions = {},
  ): Promise<SentMessage> {
    const { stored } = this.#options;
    const images = attached.length === 0 ? [] : await this.#keepAttached(runId, attached, key);
    const sent = { id: '', created: false };
    const choose = (now: RunState): NewEvent[] => {
      const earlier = messageWith(now, key);
      sent.id = earlier?.id ?? `m${now.operatorMessages.length + 1}`;
      sent.created = !earlier;
      if (earlier) {
        requireSameMessage(earlier, { text, images });
        return [];
      }
      requireTakesMessages(now);
      return [
        {
          type: 'operator.messaged',
          message_id: sent.id,
          text,
          ...(images.length > 0 && { images }),
          ...(key !== undefined && { idempotency_key: key }),
        },
      ];
    };
    let state = await this.#appendIf(runId, choose);
    if (!state) {
      state = await stored.stateOf(runId);
      choose(state);
    }
    const { run } = await stored.get(runId);
    const message = state.operatorMessages.find((known) => known.id === sent.id);
    if (!message) throw new RunEndedError(runId);
    return { run, message, created: sent.created };
  }

  /** Stores images before a message refers to them. Those of a repeated request are stored already. */
  async #keepAttached(
    runId: string,
    attached: readonly NamedImage[],
    key: string | undefined,
  ): Promise<ImageRef[]> {
    const { stored, store, guard } = this.#options;
    await guard.refuseWhenReadOnly();
    const { config } = await stored.get(runId);
    if (modeFacts(config.mode).task === 'none') {
      throw new AppError({
        code: 'image_refused',
        message: 'An exploration reads messages as text and takes no images.',
        hint: 'Send the message without images.',
      });
    }
    const state = await stored.stateOf(runId);
    const isRepeated = messageWith(state, key) !== undefined;
    if (!isRepeated) requireTakesMessages(state);
    const { refs, stored: kept } = await readAttached(
      attached,
      state.images.kept,
      new AbortController().signal,
    );
    if (!isRepeated) await store.keepImages(runId, kept);
    return refs;
  }

  /**
   * Switches a session's autopilot on or off. Off takes effect after the current turn; on also ends a wait for a message.
   *
   * @throws {AppError} `run_not_found`, `run_ended`, `invalid_request` for a run that is not a session
   */
  async switchAutopilot(runId: string, on: boolean): Promise<RunSummary> {
    const { stored } = this.#options;
    const state = await this.#appendIf(runId, ({ ended, config, autopilot, awaiting }) => {
      if (ended) throw new RunEndedError(runId);
      if (!config || !isSettingOf(config.mode, 'autopilot')) throw notASession();
      return autopilot.on === on && !(on && awaiting) ? [] : [{ type: 'autopilot.switched', on }];
    });
    const { run } = await stored.get(runId);
    if (!state) throw new RunEndedError(runId);
    return run;
  }

  /**
   * Stores a person's decisions about pending calls, all or none. Repeating the same decision changes nothing.
   *
   * @throws {AppError} `run_not_found`, and the errors of `decideApprovals`
   */
  async approve(runId: string, requests: readonly ApprovalRequest[]): Promise<RunSummary> {
    const { stored } = this.#options;
    const state = await this.#appendIf(runId, (now) => decideApprovals(now, requests));
    if (!state) {
      await stored.get(runId);
      decideApprovals(await stored.stateOf(runId), requests);
    }
    return (await stored.get(runId)).run;
  }

  /**
   * Stores a person's answer to a request of an MCP server during a call. Repeating the same answer changes nothing.
   *
   * @throws {AppError} `run_not_found`, and the errors of `answerServerRequest`
   */
  async answerServer(runId: string, answer: ServerRequestAnswer): Promise<RunSummary> {
    const { stored } = this.#options;
    const state = await this.#appendIf(runId, (now) => answerServerRequest(now, answer));
    if (!state) {
      await stored.get(runId);
      answerServerRequest(await stored.stateOf(runId), answer);
    }
    return (await stored.get(runId)).run;
  }

  /**
   * Appends the events that `choose` derives from the run's state, whichever worker holds the run. Resolves with `undefined`
   * if no process can append to it: the run has ended or doesn't exist.
   */
  async #appendIf(
    runId: string,
    choose: (state: RunState) => readonly NewEvent[],
  ): Promise<RunState | undefined> {
    const { guard, worker, runs, shared } = this.#options;
    await guard.refuseWhenReadOnly();
    const log = await worker.logOf(runId);
    try {
      if (log) return await log.appendIf(choose);
    } catch (error) {
      if (shared && isStaleEpoch(error)) runs.lose(runId);
      // The worker may have released the run between the two steps, because it began to wait for a message.
      else if (!isClosed(error) || (await worker.logOf(runId)) === log) throw error;
    }
    return shared ? this.#intervene(shared, runId, choose) : worker.wake(runId, choose);
  }

  /** Appends to a run that this process does not hold. The worker that holds it then reads the events. */
  async #intervene(
    { store, waiting }: NonNullable<OperatorActionsOptions['shared']>,
    runId: string,
    choose: (state: RunState) => readonly NewEvent[],
  ): Promise<RunState> {
    for (;;) {
      const state = await this.#options.stored.stateOf(runId);
      const events = choose(state);
      if (events.length === 0) return state;
      try {
        const placed = placeEvents(state, events, steadyNow());
        const next = foldAll(state, placed);
        await store.intervene(runId, growthOf(placed, next));
        this.#options.changes.notify(runId);
        waiting.poke();
        return next;
      } catch (error) {
        if (!isSeqConflict(error)) throw error; // the worker appended first: retry with its events
      }
    }
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof AppError && error.code === 'shutting_down';
}

/** The message that an earlier request with this key sent. */
function messageWith({ operatorMessages }: RunState, key: string | undefined): OperatorMessage | undefined {
  return key === undefined
    ? undefined
    : operatorMessages.find(({ idempotencyKey }) => idempotencyKey === key);
}

/** @throws {AppError} `idempotency_conflict` */
function requireSameMessage(
  { id, text, images = [] }: OperatorMessage,
  second: { text: string; images: readonly ImageRef[] },
): void {
  if (text === second.text && isDeepStrictEqual(images, second.images)) return;
  throw new AppError({
    code: 'idempotency_conflict',
    message: `The idempotency key was used for another message (${id}).`,
    hint: 'Use a new key for a new message.',
  });
}

/** @throws {AppError} `run_ended`, `too_many_messages` */
function requireTakesMessages(state: RunState): void {
  if (state.ended) throw new RunEndedError(state.runId);
  if (queuedMessages(state).length >= MAX_QUEUED_MESSAGES) throw tooManyMessages();
}

function tooManyMessages(): AppError {
  return new AppError({
    code: 'too_many_messages',
    message: `${MAX_QUEUED_MESSAGES} messages are already queued for the model.`,
    hint: 'Wait until the model has read some of them.',
  });
}

function notASession(): AppError {
  return new AppError({
    code: 'invalid_request',
    message: 'Only sessions have an autopilot.',
    hint: 'Start a session.',
  });
}
