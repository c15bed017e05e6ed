import { foldCycles, noCycles } from './fold-cycles.ts';
import { headingAfter } from './fold-timeline/iteration-heading.ts';
import { afterToolEvent, type ToolEvent } from './fold-timeline/tool-row.ts';
import { modeFacts } from './modes.ts';
import type { EventOf, RunEventType } from './registry.ts';
import { lossOf } from './swallowed-reply.ts';
import type {
  CallRow,
  Cut,
  Cycles,
  NoteRow,
  PolicyRow,
  RowBase,
  ShownEvent,
  Timeline,
  TimelineRow,
} from './timeline.ts';

const NONE = -1;

export const emptyTimeline: Timeline = {
  seq: 0,
  rows: [],
  rowOfSeq: [NONE],
  open: {
    preparation: NONE,
    iteration: NONE,
    call: NONE,
    verification: NONE,
    serverWait: NONE,
    tools: {},
    tries: 0,
    freshLoad: false,
    budget: undefined,
    handover: false,
  },
  attempt: 0,
  iteration: 0,
  step: 0,
  turnsEnded: undefined,
  lastAt: 0,
  cycles: noCycles,
};

/** Working copy of `foldTimeline`, made once per batch, so that a batch of n events copies the lists only once. */
interface Draft {
  seq: number;
  rows: TimelineRow[];
  rowOfSeq: number[];
  open: { -readonly [K in keyof Timeline['open']]: Timeline['open'][K] };
  attempt: number;
  iteration: number;
  step: number;
  turnsEnded: number | undefined;
  lastAt: number;
  cycles: Cycles;
}

/**
 * Folds events into the timeline. Pure. Skips events already in the timeline, so that repeated parts of the stream
 * have no effect (D20).
 *
 * @throws {RangeError} when an event is missing between the timeline and the next event
 */
export function foldTimeline(timeline: Timeline, events: readonly ShownEvent[]): Timeline {
  const fresh = events.filter((event) => event.seq > timeline.seq);
  if (fresh.length === 0) return timeline;
  const draft: Draft = {
    ...timeline,
    rows: timeline.rows.slice(),
    rowOfSeq: timeline.rowOfSeq.slice(),
    open: { ...timeline.open },
    cycles: foldCycles(timeline.cycles, fresh),
  };
  for (const event of fresh) {
    if (event.seq <= draft.seq) continue;
    if (event.seq !== draft.seq + 1) {
      throw new RangeError(`Timeline: event ${event.seq} cannot follow event ${draft.seq}`);
    }
    const shownIn = take(draft, event);
    draft.rowOfSeq[event.seq] = shownIn;
    draft.seq = event.seq;
    draft.lastAt = event.at;
    change(draft, draft.open.iteration, 'iteration', (row) => headingAfter(row, event, draft));
  }
  return draft;
}

/** Index of the row that shows an event; `undefined` if the event is not in the log (yet). */
export function rowIndexOfSeq(timeline: Timeline, seq: number): number | undefined {
  const index = timeline.rowOfSeq[seq];
  if (index === undefined || index < 0) return undefined;
  return Math.min(index, timeline.rows.length - 1);
}

function base(draft: Draft, event: ShownEvent): RowBase {
  return {
    key: `e${event.seq}`,
    seq: event.seq,
    at: event.at,
    attempt: draft.attempt,
    iteration: draft.iteration,
    step: draft.step,
  };
}

function add(draft: Draft, row: TimelineRow): number {
  draft.rows.push(row);
  return draft.rows.length - 1;
}

/** Updates one row in the list; no effect on rows of another kind. */
function change<K extends TimelineRow['kind']>(
  draft: Draft,
  index: number,
  kind: K,
  update: (row: Extract<TimelineRow, { kind: K }>) => Extract<TimelineRow, { kind: K }>,
): number {
  const row = draft.rows[index];
  if (row !== undefined && isKind(row, kind)) draft.rows[index] = update(row);
  return index;
}

function isKind<K extends TimelineRow['kind']>(
  row: TimelineRow,
  kind: K,
): row is Extract<TimelineRow, { kind: K }> {
  return row.kind === kind;
}

/** For each type of event: adds such an event to the rows, and returns the index of the row that shows it. */
type RowReducers = {
  readonly [T in RunEventType]: (draft: Draft, event: ShownEvent & EventOf<T>) => number;
};

const REDUCERS: RowReducers = {
  'run.created': (draft, event) => {
    if (modeFacts(event.config.mode).hasTurns) draft.turnsEnded = 0;
    return add(draft, { ...base(draft, event), kind: 'created', event });
  },
  'run.forked': forked,
  'run.started': (draft, event) => {
    const { open } = draft;
    open.preparation = add(draft, { ...base(draft, event), kind: 'preparation', worker: event.worker });
    return open.preparation;
  },
  'run.resumed': resumed,
  'preflight.checked': (draft, event) =>
    change(draft, preparation(draft, event), 'preparation', (row) => ({ ...row, preflight: event })),
  'model.load-started': (draft, event) =>
    change(draft, preparation(draft, event), 'preparation', (row) => ({ ...row, loadStarted: event })),
  'model.loaded': loaded,
  'server-wait.started': serverWaitStarted,
  'server-wait.ended': (draft, event) =>
    change(draft, draft.open.serverWait, 'server-wait', (row) => ({ ...row, ended: event })),
  'attempt.started': attemptStarted,
  'iteration.started': iterationStarted,
  'model-call.started': callStarted,
  'model-call.ended': (draft, event) =>
    change(draft, draft.open.call, 'call', (row) => ({ ...row, status: 'ended', ended: event })),
  'model-call.failed': (draft, event) =>
    change(draft, draft.open.call, 'call', (row) => ({ ...row, status: 'failed', failed: event })),
  'reply.parsed': parsed,
  'approval.requested': onToolRow,
  'approval.decided': onToolRow,
  'tool-call.started': onToolRow,
  'tool-call.ended': onToolRow,
  'tool-call.interrupted': onToolRow,
  'mcp-request.received': onToolRow,
  'mcp-request.answered': onToolRow,
  'mcp-sampling.started': onToolRow,
  'mcp-sampling.ended': onToolRow,
  'mcp-messages.logged': onToolRow,
  'answer.checked': addPolicy,
  'policy.nudged': (draft, event) => {
    closeTools(draft);
    return addPolicy(draft, event);
  },
  'policy.retried': retried,
  'policy.compacted': addPolicy,
  'policy.warned': addPolicy,
  'budget.checked': (draft, event) => {
    if (event.exceeded !== undefined) return addPolicy(draft, event);
    // Shown in the heading of the next iteration, which it was checked for.
    draft.open.budget = event;
    return draft.rows.length;
  },
  'verification.started': verificationStarted,
  'verification.checked': (draft, event) =>
    change(draft, draft.open.verification, 'verification', (row) => ({ ...row, checked: event })),
  'turn.ended': (draft) => {
    if (draft.turnsEnded !== undefined) draft.turnsEnded += 1;
    closeTools(draft);
    closeIteration(draft);
    return draft.open.call === NONE ? draft.rows.length - 1 : draft.open.call;
  },
  'turn.paused': addNote,
  'harness.prompted': addNote,
  'message.awaited': addNote,
  'autopilot.switched': addNote,
  'handover.started': (draft, event) => {
    draft.open.handover = true;
    return addNote(draft, event);
  },
  'handover.ended': (draft, event) => {
    draft.open.handover = false;
    return addClosingNote(draft, event);
  },
  'operator-call.started': addNote,
  'operator-call.ended': addNote,
  'cycle.started': addNote,
  'cycle.reflected': addClosingNote,
  'diversity.advised': addNote,
  'memory.changed': addNote,
  'operator.messaged': addNote,
  'operator.delivered': addNote,
  'agent.messaged': addNote,
  'stop.requested': (draft, event) => add(draft, { ...base(draft, event), kind: 'stop', event }),
  'run.ended': ended,
};

/** Folds one event and returns the index of its row. */
function take<T extends RunEventType>(draft: Draft, event: ShownEvent & EventOf<T>): number {
  const reduce = REDUCERS[event.type as T];
  return reduce(draft, event);
}

function forked(draft: Draft, event: EventOf<'run.forked'> & { cuts?: readonly Cut[] }): number {
  const { open } = draft;
  // The time between the source run and the fork does not belong to the copied iteration.
  closeIteration(draft);
  open.preparation = NONE;
  // Where the fork turns handovers off, it takes the request for a summary back.
  if (event.settings.some(({ name, after }) => name === 'handover_at' && typeof after !== 'number')) {
    open.handover = false;
  }
  for (const [index, edit] of event.edits.entries()) {
    if (edit.target !== 'call') continue;
    change(draft, open.tools[edit.call_id] ?? NONE, 'tool', (row) => ({
      ...row,
      forked: {
        seq: event.seq,
        path: `edits.${index}.after`,
        arguments: edit.after,
        cuts: event.cuts ?? [],
      },
    }));
  }
  return add(draft, { ...base(draft, event), kind: 'forked', event });
}

function resumed(draft: Draft, event: EventOf<'run.resumed'>): number {
  loseOpenCall(draft);
  draft.open.preparation = NONE;
  return add(draft, {
    ...base(draft, event),
    kind: 'resumed',
    event,
    silentMs: Math.max(0, event.at - draft.lastAt),
  });
}

/** The row of the model's preparation: the open one, or a new one after a restart. */
function preparation(draft: Draft, event: ShownEvent): number {
  if (draft.open.preparation === NONE) {
    draft.open.preparation = add(draft, { ...base(draft, event), kind: 'preparation' });
  }
  return draft.open.preparation;
}

function loaded(draft: Draft, event: EventOf<'model.loaded'>): number {
  const { open } = draft;
  const place = change(draft, preparation(draft, event), 'preparation', (row) => ({ ...row, loaded: event }));
  // A later load gets its own row.
  open.preparation = NONE;
  open.freshLoad = !event.already_loaded;
  return place;
}

function serverWaitStarted(draft: Draft, event: EventOf<'server-wait.started'>): number {
  const { open } = draft;
  const last = draft.rows.at(-1);
  setAsideIfFailed(draft);
  open.preparation = NONE;
  const afterFailedCall = last?.kind === 'call' && last.status === 'failed';
  open.serverWait = add(draft, {
    ...base(draft, event),
    kind: 'server-wait',
    started: event,
    afterFailedCall,
  });
  return open.serverWait;
}

function attemptStarted(draft: Draft, event: EventOf<'attempt.started'>): number {
  draft.attempt = event.attempt;
  draft.iteration = 0;
  draft.step = draft.turnsEnded ?? 0;
  draft.open.handover = false;
  closeTools(draft);
  closeIteration(draft);
  return add(draft, { ...base(draft, event), kind: 'attempt', event });
}

function iterationStarted(draft: Draft, event: EventOf<'iteration.started'>): number {
  const { open } = draft;
  closeTools(draft);
  draft.iteration = event.iteration;
  draft.step = stepAfter(draft, event);
  open.tries = 0;
  open.preparation = NONE;
  closeIteration(draft);
  open.iteration = add(draft, {
    ...base(draft, event),
    kind: 'iteration',
    handsOver: open.handover,
    budget: open.budget,
    until: event.at,
    ended: false,
    waitedMs: 0,
    modelCalls: 0,
    toolCalls: 0,
    failedToolCalls: 0,
    tokensIn: 0,
    tokensOut: 0,
    tokensEstimated: 0,
  });
  open.budget = undefined;
  return open.iteration;
}

/** A turn that a fork repeats keeps its number. */
function stepAfter({ turnsEnded, open }: Draft, { iteration }: EventOf<'iteration.started'>): number {
  if (turnsEnded === undefined) return iteration;
  return open.handover ? turnsEnded : turnsEnded + 1;
}

function callStarted(draft: Draft, event: EventOf<'model-call.started'>): number {
  const { open } = draft;
  open.tries += 1;
  open.call = add(draft, {
    ...base(draft, event),
    kind: 'call',
    call: event.call,
    tryNumber: open.tries,
    ...(open.freshLoad ? { afterLoad: true } : {}),
    status: 'open',
    started: event,
  });
  open.freshLoad = false;
  return open.call;
}

function parsed(draft: Draft, event: EventOf<'reply.parsed'> & { cuts?: readonly Cut[] }): number {
  const { open } = draft;
  const index = change(draft, open.call, 'call', (row) => ({
    ...row,
    parsed: withLoss(event, row),
  }));
  const tools: Record<string, number> = {};
  event.calls.forEach((call, position) => {
    tools[call.call_id] = add(draft, {
      ...base(draft, event),
      key: call.call_id,
      kind: 'tool',
      callId: call.call_id,
      name: call.name,
      arguments: call.arguments,
      layer: call.layer,
      format: call.format,
      coercions: event.coercions.filter((coercion) => coercion.call === position),
      repairs: event.repairs.filter((repair) => repair.call === position),
      status: 'waiting',
      argumentsPath: `calls.${position}.arguments`,
      argumentsCuts: event.cuts ?? [],
      resultCuts: [],
    });
  });
  open.tools = tools;
  return index;
}

/** Adds lost tokens to a parsed reply, including for logs that do not record them. */
function withLoss(event: EventOf<'reply.parsed'>, { started, ended }: CallRow): EventOf<'reply.parsed'> {
  const { swallowedTokens, malformed } = lossOf(event, ended, started.tool_count > 0);
  if (malformed === event.malformed && swallowedTokens === (event.swallowed_tokens ?? 0)) return event;
  return { ...event, malformed, swallowed_tokens: swallowedTokens };
}

function onToolRow(draft: Draft, event: ToolEvent): number {
  return change(draft, draft.open.tools[event.call_id] ?? NONE, 'tool', (row) => afterToolEvent(row, event));
}

function retried(draft: Draft, event: EventOf<'policy.retried'>): number {
  // A load can fail as well: that is not about the last reply, whose calls may still wait.
  if (event.cause === 'transient') setAsideIfFailed(draft);
  else {
    change(draft, draft.open.call, 'call', (row) => ({ ...row, setAside: event.cause }));
    closeTools(draft);
  }
  return addPolicy(draft, event);
}

function addPolicy(draft: Draft, event: PolicyRow['event']): number {
  return add(draft, { ...base(draft, event), kind: 'policy', event });
}

function verificationStarted(draft: Draft, event: EventOf<'verification.started'>): number {
  const { open } = draft;
  closeTools(draft);
  closeIteration(draft);
  open.verification = add(draft, { ...base(draft, event), kind: 'verification', started: event });
  return open.verification;
}

function addNote(draft: Draft, event: NoteRow['event']): number {
  return add(draft, { ...base(draft, event), kind: 'note', event });
}

function addClosingNote(draft: Draft, event: NoteRow['event']): number {
  closeTools(draft);
  closeIteration(draft);
  return addNote(draft, event);
}

function ended(draft: Draft, event: EventOf<'run.ended'>): number {
  closeTools(draft);
  loseOpenCall(draft);
  closeIteration(draft);
  return add(draft, { ...base(draft, event), kind: 'end', event });
}

/** Closes the open call: its answer was lost with the process, or the run ended. */
function loseOpenCall(draft: Draft): void {
  change(draft, draft.open.call, 'call', (row) => (row.status === 'open' ? { ...row, status: 'lost' } : row));
}

function setAsideIfFailed(draft: Draft): void {
  change(draft, draft.open.call, 'call', (row) =>
    row.status === 'failed' ? { ...row, setAside: 'transient' } : row,
  );
}

/** Ends the open iteration: what follows is not part of it, so its time stays as it is. */
function closeIteration(draft: Draft): void {
  change(draft, draft.open.iteration, 'iteration', (row) => ({ ...row, ended: true }));
  draft.open.iteration = NONE;
}

/** Closes calls of the last reply that never started because the reply was discarded or refused, or the run ended. */
function closeTools(draft: Draft): void {
  for (const index of Object.values(draft.open.tools)) {
    change(draft, index, 'tool', (row) =>
      row.status === 'waiting' || row.status === 'awaiting approval' || row.status === 'approved'
        ? { ...row, status: 'not-run', file: undefined }
        : row.status === 'running' || row.status === 'awaiting answer'
          ? { ...row, status: 'interrupted' }
          : row,
    );
  }
  draft.open.tools = {};
}
