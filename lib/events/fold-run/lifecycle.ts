import { withImages } from '../message-images.ts';
import { outcomeAt } from '../outcome-at.ts';
import type { EventOf } from '../registry.ts';
import { NO_RETRIES } from '../retry-limits.ts';
import { phaseBetweenSteps } from '../run-phase.ts';
import { emptyRunState, type Reducers, type RunState } from '../run-state.ts';
import { waitedMs, workedMs } from '../worked-ms.ts';

/** A run from its creation to its end: workers, the model server, attempts, iterations and checks. */
export const lifecycle = {
  'run.created': (state, event): RunState => ({
    ...withImages(state, event.config.images),
    config: event.config,
    parent: event.parent,
    createdAt: event.at,
    // Logs from before sessions waited for messages have no such setting: those sessions continued on
    // their own.
    autopilot: { ...state.autopilot, on: event.config.autopilot ?? true },
  }),
  'run.started': (state, event): RunState => ({
    ...state,
    worker: event.worker,
    epoch: event.epoch,
    startedAt: event.at,
    phase: 'starting',
  }),
  'run.resumed': resumed,
  'preflight.checked': (state, event): RunState => ({
    ...state,
    preflight: event,
    transientSince: undefined,
  }),
  'model.load-started': (state, event): RunState => ({
    ...state,
    phase: 'loading',
    lostMs: state.lostMs + (event.waited_ms ?? 0),
  }),
  'model.loaded': (state, event): RunState => ({
    ...state,
    loaded: event,
    phase: phaseBetweenSteps(state),
    transientSince: undefined,
  }),
  'server-wait.started': (state, event): RunState => ({
    ...state,
    phase: 'awaiting-server',
    serverWait: {
      seq: event.seq,
      since: event.at,
      limitMs: event.limit_ms,
      error: event.error,
      gaveUp: false,
    },
    serverDown: {
      since: state.serverDown?.since ?? event.at,
      waits: (state.serverDown?.waits ?? 0) + 1,
    },
  }),
  'server-wait.ended': serverWaited,
  'attempt.started': (state, event): RunState => ({
    ...state,
    phase: 'between',
    attempt: event.attempt,
    messages: event.messages,
    tools: event.tools as RunState['tools'],
    logPath: event.log_path,
    folded: {},
    measured: undefined,
    handover: emptyRunState('').handover,
    iteration: 0,
    awaitingReply: false,
    answer: { checked: undefined, asked: 0 },
    turns: { ...state.turns, prompted: event.messages.at(-1)?.role !== 'system' },
    callHistory: [],
    callHistorySeqs: [],
    lastNewsIteration: 0,
    lastNewsSeq: 0,
    nudges: 0,
    nudgeSeqs: [],
    retries: NO_RETRIES,
    reply: undefined,
    failedCall: undefined,
  }),
  'iteration.started': (state, event): RunState => ({
    ...state,
    phase: 'between',
    iteration: event.iteration,
    iterationsUsed: state.iterationsUsed + 1,
    // The summary call does not count towards the cycle.
    cycle:
      state.handover.kept === undefined
        ? state.cycle
        : { ...state.cycle, iterationsBefore: state.cycle.iterationsBefore + 1 },
    awaitingReply: true,
    retries: NO_RETRIES,
    transientSince: undefined,
    reply: undefined,
    failedCall: undefined,
  }),
  'verification.started': (state, event): RunState => ({
    ...state,
    phase: 'verifying',
    reply: undefined,
    attempts: [
      ...state.attempts,
      {
        attempt: event.attempt,
        reason: event.reason,
        output: event.output,
        ...(event.error && { error: event.error }),
        checks: [],
      },
    ],
  }),
  'verification.checked': (state, event): RunState => ({
    ...state,
    waitedMs: state.waitedMs + (event.waited_ms ?? 0),
    attempts: state.attempts.map((attempt) =>
      attempt.attempt === event.attempt
        ? { ...attempt, outcome: event.outcome, checks: event.checks }
        : attempt,
    ),
  }),
  'budget.checked': (state, event): RunState => ({ ...state, budget: event, waitedAtCheck: state.waitedMs }),
  'run.ended': (state, event): RunState => ({
    ...state,
    phase: 'ended',
    result: event.result,
    mcpRequests: { ...state.mcpRequests, open: undefined },
    ended: event,
    outcome: event.outcome ?? outcomeAt(state, event.result.termination_reason),
    openCall: undefined,
    serverWait: undefined,
    operatorMessages: state.operatorMessages.map((message) =>
      message.status === 'queued' ? { ...message, status: 'returned' as const } : message,
    ),
  }),
} satisfies Partial<Reducers>;

/** Once the server is back, it has no model loaded and may be another version. */
function serverWaited(state: RunState, event: EventOf<'server-wait.ended'>): RunState {
  const { serverWait } = state;
  switch (event.outcome) {
    case 'back':
      return {
        ...state,
        phase: phaseBetweenSteps(state),
        serverWait: undefined,
        loaded: undefined,
        failedCall: undefined,
        transientSince: undefined,
      };
    case 'gave_up':
      return { ...state, serverWait: serverWait && { ...serverWait, gaveUp: true } };
    case 'stopped':
      return { ...state, serverWait: undefined };
    default:
      // An outcome of a later version, whose runs the terminal client may follow: the wait is over in any case.
      event.outcome satisfies never;
      return { ...state, serverWait: undefined };
  }
}

/** A request that was open when the worker was lost may be sent again; a running tool call may not. */
function resumed(state: RunState, event: EventOf<'run.resumed'>): RunState {
  const { after_wait: afterWait } = event;
  const phase =
    state.phase === 'calling' || state.phase === 'loading' ? phaseBetweenSteps(state) : state.phase;
  return {
    ...state,
    worker: event.worker,
    epoch: event.epoch,
    resumes: state.resumes + (afterWait ? 0 : 1),
    woken: false,
    resumedAt: event.at,
    lostMs: Math.max(
      0,
      event.at - (state.startedAt ?? event.at) - waitedMs(state, event.at) - workedMs(state, state.updatedAt),
    ),
    openCall: undefined,
    // The model may have been unloaded meanwhile, so its window must be read again. After a wait, the check before the
    // next call does that.
    loaded: afterWait ? state.loaded : undefined,
    // A restart of Loupe often comes with a restart of Ollama, so the wait starts over.
    serverWait: state.serverWait && { ...state.serverWait, since: event.at },
    serverDown: state.serverDown && { ...state.serverDown, since: event.at },
    phase,
  };
}
