import { assertNever } from '../util/assert-never.ts';
import { foldCycles, noCycles } from './fold-cycles.ts';
import { headingAfter } from './fold-timeline/iteration-heading.ts';
import { afterToolEvent } from './fold-timeline/tool-row.ts';
import type { EventOf } from './registry.ts';
import { lossOf } from './swallowed-reply.ts';
import type { CallRow, Cut, Cycles, RowBase, ShownEvent, Timeline, TimelineRow } from './timeline.ts';

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
  },
  attempt: 0,
  iteration: 0,
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

/** Folds one event and returns the index of its row. */
function take(draft: Draft, event: ShownEvent): number {
  const { open } = draft;
  switch (event.type) {
    case 'run.created':
      return add(draft, { ...base(draft, event), kind: 'created', event });
    case 'run.forked':
      return forked(draft, event);
    case 'run.started':
      open.preparation = add(draft, { ...base(draft, event), kind: 'preparation', worker: event.worker });
      return open.preparation;
    case 'run.resumed':
      return resumed(draft, event);
    case 'preflight.checked':
      return change(draft, preparation(draft, event), 'preparation', (row) => ({ ...row, preflight: event }));
    case 'model.load-started':
      return change(draft, preparation(draft, event), 'preparation', (row) => ({
        ...row,
        loadStarted: event,
      }));
    case 'model.loaded': {
      const place = change(draft, preparation(draft, event), 'preparation', (row) => ({
        ...row,
        loaded: event,
      }));
      // A later load gets its own row.
      open.preparation = NONE;
      open.freshLoad = !event.already_loaded;
      return place;
    }
    case 'server-wait.started':
      return serverWaitStarted(draft, event);
    case 'server-wait.ended':
      return change(draft, open.serverWait, 'server-wait', (row) => ({ ...row, ended: event }));
    case 'attempt.started':
      draft.attempt = event.attempt;
      draft.iteration = 0;
      closeTools(draft);
      closeIteration(draft);
      return add(draft, { ...base(draft, event), kind: 'attempt', event });
    case 'iteration.started':
      return iterationStarted(draft, event);
    case 'model-call.started':
      return callStarted(draft, event);
    case 'model-call.ended':
      return change(draft, open.call, 'call', (row) => ({
        ...row,
        status: 'ended',
        ended: event,
      }));
    case 'model-call.failed':
      return change(draft, open.call, 'call', (row) => ({ ...row, status: 'failed', failed: event }));
    case 'reply.parsed':
      return parsed(draft, event);
    case 'approval.requested':
    case 'approval.decided':
    case 'tool-call.started':
    case 'mcp-request.received':
    case 'mcp-request.answered':
    case 'mcp-sampling.started':
    case 'mcp-sampling.ended':
    case 'mcp-messages.logged':
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return change(draft, open.tools[event.call_id] ?? NONE, 'tool', (row) => afterToolEvent(row, event));
    case 'policy.retried':
      // A load can fail as well: that is not about the last reply, whose calls may still wait.
      if (event.cause === 'transient') change(draft, open.call, 'call', setAsideIfFailed);
      else {
        change(draft, open.call, 'call', (row) => ({ ...row, setAside: event.cause }));
        closeTools(draft);
      }
      return add(draft, { ...base(draft, event), kind: 'policy', event });
    case 'policy.nudged':
      closeTools(draft);
      return add(draft, { ...base(draft, event), kind: 'policy', event });
    case 'answer.checked':
    case 'policy.compacted':
    case 'policy.warned':
      return add(draft, { ...base(draft, event), kind: 'policy', event });
    case 'budget.checked':
      if (event.exceeded !== undefined) return add(draft, { ...base(draft, event), kind: 'policy', event });
      // Shown in the heading of the next iteration, which it was checked for.
      open.budget = event;
      return draft.rows.length;
    case 'verification.started':
      closeTools(draft);
      closeIteration(draft);
      open.verification = add(draft, { ...base(draft, event), kind: 'verification', started: event });
      return open.verification;
    case 'verification.checked':
      return change(draft, open.verification, 'verification', (row) => ({ ...row, checked: event }));
    case 'turn.ended':
      closeTools(draft);
      closeIteration(draft);
      return open.call === NONE ? draft.rows.length - 1 : open.call;
    case 'cycle.reflected':
    case 'handover.ended':
      closeTools(draft);
      closeIteration(draft);
      return add(draft, { ...base(draft, event), kind: 'note', event });
    case 'handover.started':
    case 'operator-call.started':
    case 'operator-call.ended':
    case 'turn.paused':
    case 'harness.prompted':
    case 'message.awaited':
    case 'autopilot.switched':
    case 'cycle.started':
    case 'diversity.advised':
    case 'memory.changed':
    case 'operator.messaged':
    case 'operator.delivered':
    case 'agent.messaged':
      return add(draft, { ...base(draft, event), kind: 'note', event });
    case 'stop.requested':
      return add(draft, { ...base(draft, event), kind: 'stop', event });
    case 'run.ended':
      closeTools(draft);
      change(draft, open.call, 'call', (row) => (row.status === 'open' ? { ...row, status: 'lost' } : row));
      closeIteration(draft);
      return add(draft, { ...base(draft, event), kind: 'end', event });
    default:
      return assertNever(event);
  }
}

function forked(draft: Draft, event: EventOf<'run.forked'> & { cuts?: readonly Cut[] }): number {
  const { open } = draft;
  // The time between the source run and the fork does not belong to the copied iteration.
  closeIteration(draft);
  open.preparation = NONE;
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

function serverWaitStarted(draft: Draft, event: EventOf<'server-wait.started'>): number {
  const { open } = draft;
  const last = draft.rows.at(-1);
  change(draft, open.call, 'call', setAsideIfFailed);
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

function iterationStarted(draft: Draft, event: EventOf<'iteration.started'>): number {
  const { open } = draft;
  closeTools(draft);
  draft.iteration = event.iteration;
  open.tries = 0;
  open.preparation = NONE;
  closeIteration(draft);
  open.iteration = add(draft, {
    ...base(draft, event),
    kind: 'iteration',
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

/** The row of the model's preparation: the open one, or a new one after a restart. */
function preparation(draft: Draft, event: ShownEvent): number {
  if (draft.open.preparation === NONE) {
    draft.open.preparation = add(draft, { ...base(draft, event), kind: 'preparation' });
  }
  return draft.open.preparation;
}

function resumed(draft: Draft, event: EventOf<'run.resumed'>): number {
  change(draft, draft.open.call, 'call', (row) => (row.status === 'open' ? { ...row, status: 'lost' } : row));
  draft.open.preparation = NONE;
  return add(draft, {
    ...base(draft, event),
    kind: 'resumed',
    event,
    silentMs: Math.max(0, event.at - draft.lastAt),
  });
}

function setAsideIfFailed(row: CallRow): CallRow {
  return row.status === 'failed' ? { ...row, setAside: 'transient' } : row;
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
