import { assertNever } from '../util/assert-never.ts';
import type { JsonObject } from '../util/json.ts';
import { type Cycles, foldCycles, noCycles } from './fold-cycles.ts';
import type { EventOf, RunEvent } from './registry.ts';

/** Where a text was cut for viewers, and how long the whole is in characters. */
export interface Cut {
  path: string;
  chars: number;
}

/** An event as a viewer has it: long texts may be cut. */
export type ShownEvent = RunEvent & { cuts?: readonly Cut[] };

interface RowBase {
  /** Stable for the life of the run: what a list keys and remembers by. */
  readonly key: string;
  /** The event the row stands for, and its deep link. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly attempt: number;
  /** 0 before the first iteration of the attempt. */
  readonly iteration: number;
}

export interface CreatedRow extends RowBase {
  readonly kind: 'created';
  readonly event: EventOf<'run.created'>;
}

/** The end of the part that was copied from another run, and what was changed. */
export interface ForkedRow extends RowBase {
  readonly kind: 'forked';
  readonly event: EventOf<'run.forked'>;
}

/** A worker takes the run, checks server and model, and has the model loaded. */
export interface PreparationRow extends RowBase {
  readonly kind: 'preparation';
  readonly worker?: string;
  readonly preflight?: EventOf<'preflight.checked'>;
  readonly loadStarted?: EventOf<'model.load-started'>;
  readonly loaded?: EventOf<'model.loaded'>;
}

/** A conversation begins: first messages and the tools on offer. */
export interface AttemptRow extends RowBase {
  readonly kind: 'attempt';
  readonly event: EventOf<'attempt.started'>;
}

/** The heading of an iteration, with the sums of what follows under it. */
export interface IterationRow extends RowBase {
  readonly kind: 'iteration';
  readonly budget?: EventOf<'budget.checked'>;
  /** `at` of the last event within the iteration. */
  readonly until: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** One request to the model, with what came back and how it was read. */
export interface CallRow extends RowBase {
  readonly kind: 'call';
  readonly call: number;
  /** Which try of the iteration this is, from 1. */
  readonly tryNumber: number;
  readonly status: 'open' | 'ended' | 'failed' | 'lost';
  readonly started: EventOf<'model-call.started'>;
  readonly ended?: EventOf<'model-call.ended'>;
  readonly failed?: EventOf<'model-call.failed'>;
  readonly parsed?: EventOf<'reply.parsed'>;
  /** The reply or failure was set aside and the same messages were sent again. */
  readonly setAside?: EventOf<'policy.retried'>['cause'];
}

export type ToolStatus =
  | 'waiting'
  | 'awaiting approval'
  | 'approved'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'denied'
  | 'interrupted'
  | 'not-run';

/** One tool call, from the moment it was read out of a reply. */
export interface ToolRow extends RowBase {
  readonly kind: 'tool';
  readonly callId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly layer: 'native' | 'json' | 'xml';
  readonly format: string;
  readonly coercions: EventOf<'reply.parsed'>['coercions'];
  readonly repairs: EventOf<'reply.parsed'>['repairs'];
  readonly status: ToolStatus;
  readonly startedAt?: number;
  /** Set when a person was asked about the call. */
  readonly requested?: { readonly seq: number; readonly at: number };
  /** What was decided about it. */
  readonly decided?: EventOf<'approval.decided'>;
  readonly decidedCuts?: readonly Cut[];
  /** What a person wrote in place of the arguments when the run was forked before the call: it ran with these. */
  readonly forked?: {
    readonly seq: number;
    readonly path: string;
    readonly arguments: JsonObject;
    readonly cuts: readonly Cut[];
  };
  readonly result?: EventOf<'tool-call.ended'>['result'];
  readonly durationMs?: number;
  /** The event that brought the result; a cut result is fetched whole from there. */
  readonly resultSeq?: number;
  /** Where the arguments stand in the event `seq`, and which texts of them are only here in part. */
  readonly argumentsPath: string;
  readonly argumentsCuts: readonly Cut[];
  readonly resultCuts: readonly Cut[];
}

/** A decision of the harness that stands in the timeline as it is. */
export interface PolicyRow extends RowBase {
  readonly kind: 'policy';
  readonly event: EventOf<
    'policy.nudged' | 'policy.retried' | 'policy.compacted' | 'policy.warned' | 'budget.checked'
  >;
}

/**
 * What a session or an exploration adds to the story: words of the harness, of a person and of the agent, cycles, what
 * was remembered.
 */
export interface NoteRow extends RowBase {
  readonly kind: 'note';
  readonly event: EventOf<
    | 'turn.paused'
    | 'harness.prompted'
    | 'cycle.started'
    | 'cycle.reflected'
    | 'diversity.advised'
    | 'memory.changed'
    | 'operator.messaged'
    | 'operator.delivered'
    | 'agent.messaged'
  >;
}

export interface VerificationRow extends RowBase {
  readonly kind: 'verification';
  readonly started: EventOf<'verification.started'>;
  readonly checked?: EventOf<'verification.checked'>;
}

export interface StopRow extends RowBase {
  readonly kind: 'stop';
  readonly event: EventOf<'stop.requested'>;
}

/** The server was lost and another worker went on. */
export interface ResumedRow extends RowBase {
  readonly kind: 'resumed';
  readonly event: EventOf<'run.resumed'>;
  /** How long nothing happened before it, in milliseconds. */
  readonly silentMs: number;
}

export interface EndRow extends RowBase {
  readonly kind: 'end';
  readonly event: EventOf<'run.ended'>;
}

export type TimelineRow =
  | CreatedRow
  | ForkedRow
  | PreparationRow
  | AttemptRow
  | IterationRow
  | CallRow
  | ToolRow
  | PolicyRow
  | NoteRow
  | VerificationRow
  | StopRow
  | ResumedRow
  | EndRow;

/**
 * A log as rows to read from top to bottom. Rows are only ever added at the end, and a row that did not change stays
 * the same object from one timeline to the next, so that a viewer draws again only what changed (D20).
 */
export interface Timeline {
  readonly seq: number;
  readonly rows: readonly TimelineRow[];
  /** Index of the row in which an event is shown: `rowOfSeq[seq]`. */
  readonly rowOfSeq: readonly number[];
  /** Rows that later events may still change. */
  readonly open: {
    readonly preparation: number;
    readonly iteration: number;
    readonly call: number;
    readonly verification: number;
    /** Calls of the reply in hand, by call id. */
    readonly tools: Readonly<Record<string, number>>;
    readonly tries: number;
    readonly budget: EventOf<'budget.checked'> | undefined;
  };
  readonly attempt: number;
  readonly iteration: number;
  readonly lastAt: number;
  /** The same log by cycles, for explorations. */
  readonly cycles: Cycles;
}

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
    tools: {},
    tries: 0,
    budget: undefined,
  },
  attempt: 0,
  iteration: 0,
  lastAt: 0,
  cycles: noCycles,
};

/** What `foldTimeline` works on: copied once per batch, so a batch of n events costs one copy of the lists. */
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
 * Takes events into the timeline. Pure: the given timeline stays as it is. Events that it already holds are skipped,
 * so that a repeated stretch of the stream changes nothing (D20).
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
    touchIteration(draft, event);
  }
  return draft;
}

/** The index of the row an event is shown in; `undefined` for numbers the log does not hold (yet). */
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

/** Changes one row in place of its list; does nothing when the row is of another kind. */
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

/** Takes one event in and says which row shows it. */
function take(draft: Draft, event: ShownEvent): number {
  const { open } = draft;
  switch (event.type) {
    case 'run.created':
      return add(draft, { ...base(draft, event), kind: 'created', event });
    case 'run.forked':
      // The time until the fork was made is no time of the iteration that was copied.
      open.iteration = NONE;
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
    case 'run.started': {
      open.preparation = add(draft, { ...base(draft, event), kind: 'preparation', worker: event.worker });
      return open.preparation;
    }
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
      // A later load has a row of its own.
      open.preparation = NONE;
      return place;
    }
    case 'attempt.started':
      draft.attempt = event.attempt;
      draft.iteration = 0;
      closeTools(draft);
      open.iteration = NONE;
      return add(draft, { ...base(draft, event), kind: 'attempt', event });
    case 'iteration.started': {
      closeTools(draft);
      draft.iteration = event.iteration;
      open.tries = 0;
      open.preparation = NONE;
      open.iteration = add(draft, {
        ...base(draft, event),
        kind: 'iteration',
        budget: open.budget,
        until: event.at,
        modelCalls: 0,
        toolCalls: 0,
        failedToolCalls: 0,
        tokensIn: 0,
        tokensOut: 0,
      });
      open.budget = undefined;
      return open.iteration;
    }
    case 'model-call.started': {
      open.tries += 1;
      open.call = add(draft, {
        ...base(draft, event),
        kind: 'call',
        call: event.call,
        tryNumber: open.tries,
        status: 'open',
        started: event,
      });
      return open.call;
    }
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
      return change(draft, open.tools[event.call_id] ?? NONE, 'tool', (row) => ({
        ...row,
        status: 'awaiting approval',
        requested: { seq: event.seq, at: event.at },
      }));
    case 'approval.decided':
      return change(draft, open.tools[event.call_id] ?? NONE, 'tool', (row) => ({
        ...row,
        status: event.decision === 'denied' ? 'denied' : 'approved',
        decided: event,
        decidedCuts: event.cuts ?? [],
      }));
    case 'tool-call.started':
      return change(draft, open.tools[event.call_id] ?? NONE, 'tool', (row) => ({
        ...row,
        status: 'running',
        startedAt: event.at,
      }));
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return change(draft, open.tools[event.call_id] ?? NONE, 'tool', (row) => ({
        ...row,
        status:
          event.type === 'tool-call.interrupted'
            ? 'interrupted'
            : row.decided?.decision === 'denied'
              ? 'denied'
              : event.result.success
                ? 'succeeded'
                : 'failed',
        result: event.result,
        resultSeq: event.seq,
        resultCuts: event.cuts ?? [],
        durationMs: event.type === 'tool-call.ended' ? event.duration_ms : undefined,
      }));
    case 'policy.retried':
      change(draft, open.call, 'call', (row) => ({ ...row, setAside: event.cause }));
      closeTools(draft);
      return add(draft, { ...base(draft, event), kind: 'policy', event });
    case 'policy.nudged':
      closeTools(draft);
      return add(draft, { ...base(draft, event), kind: 'policy', event });
    case 'policy.compacted':
    case 'policy.warned':
      return add(draft, { ...base(draft, event), kind: 'policy', event });
    case 'budget.checked':
      if (event.exceeded !== undefined) return add(draft, { ...base(draft, event), kind: 'policy', event });
      // Shown in the heading of the iteration it was made for, which comes next.
      open.budget = event;
      return draft.rows.length;
    case 'verification.started': {
      closeTools(draft);
      open.iteration = NONE;
      open.verification = add(draft, { ...base(draft, event), kind: 'verification', started: event });
      return open.verification;
    }
    case 'verification.checked':
      return change(draft, open.verification, 'verification', (row) => ({ ...row, checked: event }));
    case 'turn.ended':
      closeTools(draft);
      open.iteration = NONE;
      return open.call === NONE ? draft.rows.length - 1 : open.call;
    case 'cycle.reflected':
      closeTools(draft);
      open.iteration = NONE;
      return add(draft, { ...base(draft, event), kind: 'note', event });
    case 'turn.paused':
    case 'harness.prompted':
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
      open.iteration = NONE;
      return add(draft, { ...base(draft, event), kind: 'end', event });
    default:
      return assertNever(event);
  }
}

/** The row in which the model is being prepared: the open one, or a new one after a restart. */
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

function parsed(draft: Draft, event: EventOf<'reply.parsed'> & { cuts?: readonly Cut[] }): number {
  const { open } = draft;
  const index = change(draft, open.call, 'call', (row) => ({ ...row, parsed: event }));
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

/** Calls of the last reply that were never begun: the reply was set aside, refused or cut short by the end. */
function closeTools(draft: Draft): void {
  for (const index of Object.values(draft.open.tools)) {
    change(draft, index, 'tool', (row) =>
      row.status === 'waiting' || row.status === 'awaiting approval' || row.status === 'approved'
        ? { ...row, status: 'not-run' }
        : row.status === 'running'
          ? { ...row, status: 'interrupted' }
          : row,
    );
  }
  draft.open.tools = {};
}

function wasDenied(result: EventOf<'tool-call.ended'>['result']): boolean {
  return !result.success && result.output.denied === true;
}

/** Adds what the event says to the heading of its iteration. */
function touchIteration(draft: Draft, event: ShownEvent): void {
  change(draft, draft.open.iteration, 'iteration', (row) => {
    const moved = { ...row, until: event.at };
    switch (event.type) {
      case 'model-call.started':
        return { ...moved, modelCalls: row.modelCalls + 1 };
      case 'model-call.ended':
        return {
          ...moved,
          tokensIn: row.tokensIn + (event.prompt_tokens ?? 0),
          tokensOut: row.tokensOut + (event.reply_tokens ?? 0),
        };
      case 'tool-call.started':
        return { ...moved, toolCalls: row.toolCalls + 1 };
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        return wasDenied(event.result)
          ? moved
          : { ...moved, failedToolCalls: row.failedToolCalls + (event.result.success ? 0 : 1) };
      default:
        return moved;
    }
  });
}
