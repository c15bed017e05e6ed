import type { ParserLayer } from '../parser/layers.ts';
import type { JsonObject } from '../util/json.ts';
import type { ApprovalScope } from './approval.ts';
import type { ImageRef } from './image.ts';
import type { EventOf, RunEvent } from './registry.ts';

/** Where a text was truncated for viewers, and its full length in characters. */
export interface Cut {
  path: string;
  chars: number;
}

/** An event as sent to viewers: long texts may be truncated. */
export type ShownEvent = RunEvent & { cuts?: readonly Cut[] };

export interface RowBase {
  /** Stable for the life of the run; used as list key. */
  readonly key: string;
  /** The event that the row represents, and its deep link. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly attempt: number;
  /** 0 before the first iteration of the attempt. */
  readonly iteration: number;
  /** The number that people see: in a session the turn, else the iteration. The summary for a handover is no turn. */
  readonly step: number;
}

export interface CreatedRow extends RowBase {
  readonly kind: 'created';
  readonly event: EventOf<'run.created'>;
}

/** The end of the part copied from another run, and what was changed. */
export interface ForkedRow extends RowBase {
  readonly kind: 'forked';
  readonly event: EventOf<'run.forked'>;
}

/** A worker takes the run, checks server and model, and loads the model. */
export interface PreparationRow extends RowBase {
  readonly kind: 'preparation';
  readonly worker?: string;
  readonly preflight?: EventOf<'preflight.checked'>;
  readonly loadStarted?: EventOf<'model.load-started'>;
  readonly loaded?: EventOf<'model.loaded'>;
}

/** A conversation starts: first messages and offered tools. */
export interface AttemptRow extends RowBase {
  readonly kind: 'attempt';
  readonly event: EventOf<'attempt.started'>;
}

/** The heading of an iteration, with the totals of the rows below it. */
export interface IterationRow extends RowBase {
  readonly kind: 'iteration';
  /** Whether the model writes the summary for a handover in it. */
  readonly handsOver: boolean;
  readonly budget?: EventOf<'budget.checked'>;
  /** `at` of the last event within the iteration. */
  readonly until: number;
  /** Whether no further event belongs to it: a turn ends before the session waits for a message. */
  readonly ended: boolean;
  /** Time in which it waited for the operator's approval or the model server, in milliseconds, without a wait in progress. */
  readonly waitedMs: number;
  /** Start of the wait in progress. */
  readonly waitingSince?: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How many of both are estimates. */
  readonly tokensEstimated: number;
}

/** One request to the model, with the reply and how it was parsed. */
export interface CallRow extends RowBase {
  readonly kind: 'call';
  readonly call: number;
  /** Number of this try within the iteration, from 1. */
  readonly tryNumber: number;
  /** Whether this is the first call after a load, when no part of its prompt can be cached. */
  readonly afterLoad?: boolean;
  readonly status: 'open' | 'ended' | 'failed' | 'lost';
  readonly started: EventOf<'model-call.started'>;
  readonly ended?: EventOf<'model-call.ended'>;
  readonly failed?: EventOf<'model-call.failed'>;
  readonly parsed?: EventOf<'reply.parsed'>;
  /** Why the reply or failure was discarded and the same messages sent again. */
  readonly setAside?: EventOf<'policy.retried'>['cause'];
}

export type ToolStatus =
  | 'waiting'
  | 'awaiting approval'
  | 'approved'
  | 'running'
  /** Whether its MCP server waits for an answer from the operator. */
  | 'awaiting answer'
  | 'succeeded'
  | 'failed'
  | 'denied'
  | 'interrupted'
  | 'not-run';

/** A request of an MCP server, and what became of it. */
export interface AskedByServer {
  readonly received: ShownEvent & EventOf<'mcp-request.received'>;
  /** Missing while it waits for the operator; also if the call ended before. */
  readonly answered?: ShownEvent & EventOf<'mcp-request.answered'>;
  readonly samplingStarted?: EventOf<'mcp-sampling.started'>;
  readonly sampled?: ShownEvent & EventOf<'mcp-sampling.ended'>;
}

/** One tool call, from the time it was parsed. */
export interface ToolRow extends RowBase {
  readonly kind: 'tool';
  readonly callId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly layer: ParserLayer;
  readonly format: string;
  readonly coercions: EventOf<'reply.parsed'>['coercions'];
  readonly repairs: EventOf<'reply.parsed'>['repairs'];
  readonly status: ToolStatus;
  readonly startedAt?: number;
  /** Set if approval was requested. */
  readonly requested?: {
    readonly seq: number;
    readonly at: number;
    readonly scopes: readonly ApprovalScope[];
  };
  /** The approval decision. */
  readonly decided?: EventOf<'approval.decided'>;
  readonly decidedCuts?: readonly Cut[];
  /** Arguments edited when the run was forked before this call, which it ran with. */
  readonly forked?: {
    readonly seq: number;
    readonly path: string;
    readonly arguments: JsonObject;
    readonly cuts: readonly Cut[];
  };
  /** The file that the call was about to change, and what it held. */
  readonly file?: NonNullable<EventOf<'tool-call.started'>['file']> & {
    readonly seq: number;
    readonly cuts: readonly Cut[];
  };
  /** Requests of the tool's MCP server during the call, with the answers. */
  readonly asked?: readonly AskedByServer[];
  /** The last messages of the server during the call. */
  readonly messages?: EventOf<'mcp-messages.logged'>;
  readonly result?: EventOf<'tool-call.ended'>['result'];
  /** The images that the tool returned. */
  readonly images?: readonly ImageRef[];
  readonly durationMs?: number;
  /** The event with the result, from which a truncated result can be fetched. */
  readonly resultSeq?: number;
  /** Path of the arguments in the event `seq`, and which of their texts are truncated. */
  readonly argumentsPath: string;
  readonly argumentsCuts: readonly Cut[];
  readonly resultCuts: readonly Cut[];
}

/** A policy decision, shown as a separate row. */
export interface PolicyRow extends RowBase {
  readonly kind: 'policy';
  readonly event: EventOf<
    | 'answer.checked'
    | 'policy.nudged'
    | 'policy.retried'
    | 'policy.compacted'
    | 'policy.warned'
    | 'budget.checked'
  >;
}

/** Rows specific to sessions and explorations: prompts, operator and agent messages, cycles, memory changes. */
export interface NoteRow extends RowBase {
  readonly kind: 'note';
  readonly event: EventOf<
    | 'turn.paused'
    | 'harness.prompted'
    | 'message.awaited'
    | 'autopilot.switched'
    | 'cycle.started'
    | 'cycle.reflected'
    | 'diversity.advised'
    | 'memory.changed'
    | 'handover.started'
    | 'handover.ended'
    | 'operator-call.started'
    | 'operator-call.ended'
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

/** The server was lost and another worker continued the run. */
export interface ResumedRow extends RowBase {
  readonly kind: 'resumed';
  readonly event: EventOf<'run.resumed'>;
  /** Time without events before it, in milliseconds. */
  readonly silentMs: number;
}

/** A wait for a model server that was down. */
export interface ServerWaitRow extends RowBase {
  readonly kind: 'server-wait';
  /** Whether the row before it shows the call that failed, with the error. */
  readonly afterFailedCall: boolean;
  readonly started: EventOf<'server-wait.started'>;
  readonly ended?: EventOf<'server-wait.ended'>;
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
  | ServerWaitRow
  | EndRow;

/** One cycle of an exploration, as shown in charts and tables. */
export interface Cycle {
  readonly number: number;
  readonly startedSeq: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** `at` of the last event within the cycle. */
  readonly until: number;
  /** With the summary for a handover after it. */
  readonly modelCalls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How many of both are estimates. */
  readonly tokensEstimated: number;
  /** How often each tool was called, by name. */
  readonly tools: Readonly<Record<string, number>>;
  readonly failedToolCalls: number;
  readonly toolCalls: number;
  readonly memoriesChanged: number;
  readonly messagesToOperator: number;
  /** Missing while the cycle is open. */
  readonly endedBy?: EventOf<'cycle.reflected'>['ended_by'];
  /** The event that ended it. */
  readonly endedSeq?: number;
  /** Missing if Loupe ended the cycle. */
  readonly reflection?: string;
  /**
   * How much the reflection differs from earlier ones: 1 for nothing in common, 0 for identical. Missing for the
   * first. If the run compares by embeddings, the value comes from them: it is known when the next cycle starts, and
   * missing if the run ended before.
   */
  readonly novelty?: number;
  /** How `novelty` is measured: by word n-grams, or by embeddings. */
  readonly noveltyMeasure?: EventOf<'diversity.advised'>['measure'];
  /** The embedding of the reflection, where the log has it. */
  readonly vector?: readonly number[];
  /** The similarity monitor's advice at the start of the cycle, if enabled (X21). */
  readonly advice?: EventOf<'diversity.advised'>;
}

/** One change of a memory. */
export interface MemoryChange {
  readonly seq: number;
  readonly at: number;
  readonly cycle: number;
  /** The call that made it; missing if a person made it in a fork. */
  readonly callId?: string;
  readonly key: string;
  /** `undefined`: deleted. */
  readonly value: string | undefined;
}

/** The cycles of a run and all changes of its memory, in order. Unchanged objects are reused. */
export interface Cycles {
  readonly seq: number;
  /** The model by whose embeddings the run compares its reflections, if it does. */
  readonly embeddingModel?: string;
  /** How many earlier reflections each is compared with. */
  readonly window: number;
  readonly cycles: readonly Cycle[];
  readonly changes: readonly MemoryChange[];
}

/**
 * A log as rows in reading order. Rows are only appended, and unchanged rows keep their identity between timelines,
 * so that a viewer only redraws what changed (D20).
 */
export interface Timeline {
  readonly seq: number;
  readonly rows: readonly TimelineRow[];
  /** Index of the row that shows an event: `rowOfSeq[seq]`. */
  readonly rowOfSeq: readonly number[];
  /** Rows that later events can still change. */
  readonly open: {
    readonly preparation: number;
    readonly iteration: number;
    readonly call: number;
    readonly verification: number;
    readonly serverWait: number;
    /** Calls of the current reply, by call ID. */
    readonly tools: Readonly<Record<string, number>>;
    readonly tries: number;
    /** Whether the model was loaded and has not answered a call since. */
    readonly freshLoad: boolean;
    readonly budget: EventOf<'budget.checked'> | undefined;
    /** Whether the model is asked for the summary for a handover. */
    readonly handover: boolean;
  };
  readonly attempt: number;
  readonly iteration: number;
  readonly step: number;
  /** The turns of a session that have ended; `undefined` in other modes. */
  readonly turnsEnded: number | undefined;
  readonly lastAt: number;
  /** The log grouped by cycle, for explorations. */
  readonly cycles: Cycles;
}
