import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolCall, ToolDefinition } from '../parser/types.ts';
import type { RunConfig } from './config.ts';
import type { EventOf } from './registry.ts';
import type { RunResult, TerminationReason } from './run.ts';

/**
 * What a run is doing. Each phase has its own clock in the dashboard.
 *
 * - `queued`: created, or waiting for a place at the model server
 * - `starting`: a worker has it and checks server and model
 * - `loading`: the model is being loaded
 * - `between`: at an iteration boundary, where stops, budgets and limits are looked at
 * - `calling`: a request is out
 * - `deciding`: a reply was read and waits for the policies
 * - `awaiting-approval`: a call waits for a person
 * - `executing`: the calls of the reply are being run
 * - `verifying`: the attempt is over, its work is being checked
 * - `ended`
 */
export type RunPhase =
  | 'queued'
  | 'starting'
  | 'loading'
  | 'between'
  | 'calling'
  | 'deciding'
  | 'awaiting-approval'
  | 'executing'
  | 'verifying'
  | 'ended';

/** A call of the reply in hand. */
export interface PendingCall {
  callId: string;
  /** What the messages call it (S10): the identifier the server gave, else `callId`. */
  messageId: string;
  name: string;
  arguments: ToolCall['arguments'];
  status: 'waiting' | 'running' | 'done';
  startedSeq?: number;
}

/** What was asked about a call, and what was decided; never decided twice. */
export interface Approval {
  readonly tool: string;
  /** `undefined` for a call that the policy refused without asking. */
  readonly requested: EventOf<'approval.requested'> | undefined;
  readonly decided: EventOf<'approval.decided'> | undefined;
}

/** The reply in hand: read, and not yet answered by tools, a nudge, a retry or the end. */
export interface PendingReply {
  call: number;
  seq: number;
  outcome: 'tool_calls' | 'final_answer' | 'empty';
  text: string;
  malformed: boolean;
  cut: boolean;
  /** Whether the model thought before it answered. */
  thinking: boolean;
  /** Tokens the model wrote, when it tells: an empty reply with tokens was swallowed on the way (docs/ollama.md). */
  replyTokens?: number;
  calls: readonly PendingCall[];
  /** Set once the first call began: from then on the reply is part of the conversation (T12). */
  accepted: boolean;
}

export interface FailedCall {
  call: number;
  seq: number;
  kind: EventOf<'model-call.failed'>['kind'];
  /** Whether the same request may succeed a moment later. */
  transient: boolean;
  message: string;
  hint?: string;
  code: string;
}

/** The reflection that ended a cycle (X11). */
export interface Reflection {
  readonly cycle: number;
  readonly text: string;
  readonly seq: number;
}

/** A memory as it stands (O12). */
export interface Memory {
  readonly value: string;
  /** The event that wrote it. */
  readonly seq: number;
  readonly cycle: number;
}

/** What a person said to the run, and what became of it. */
export interface OperatorMessage {
  readonly id: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly seq: number;
  /** `returned`: the run ended before it was read. */
  readonly status: 'queued' | 'delivered' | 'returned';
  /** The event that delivered it. */
  readonly deliveredSeq?: number;
}

/** What the model said to the operator (O14). */
export interface AgentMessage {
  readonly text: string;
  readonly at: number;
  readonly seq: number;
  readonly callId: string;
  readonly cycle: number;
}

export interface AttemptOutcome {
  attempt: number;
  reason: TerminationReason;
  output: string;
  outcome?: 'pass' | 'partial_pass' | 'fail';
  checks: EventOf<'verification.checked'>['checks'];
}

/**
 * Everything that a log says, computed by `foldRun` and by nothing else. The loop decides from it, the dashboard and
 * the exports show it. Values are shared from one state to the next and never changed in place.
 */
export interface RunState {
  readonly runId: string;
  /** Sequence number of the last event; 0 before the first. */
  readonly seq: number;
  readonly phase: RunPhase;
  /** When the phase began, in milliseconds since 1970. */
  readonly phaseSince: number;
  readonly config: RunConfig | undefined;
  /** The run this one was made from, and the last event copied from there. */
  readonly parent: { readonly run_id: string; readonly seq: number } | undefined;
  /** What was changed at the fork; the figures of the copied part are counted in with the rest. */
  readonly forked: EventOf<'run.forked'> | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  /** `at` of the last event. */
  readonly updatedAt: number;
  readonly worker: string | undefined;
  readonly epoch: number;
  readonly resumes: number;
  /** When a worker last took the run up again, in milliseconds since 1970. */
  readonly resumedAt: number | undefined;
  /** How long no worker had the run between its start and now, or it let others pass, in milliseconds. */
  readonly lostMs: number;
  readonly preflight: EventOf<'preflight.checked'> | undefined;
  readonly loaded: EventOf<'model.loaded'> | undefined;

  /** The log file of a session (S4). */
  readonly logPath: string | undefined;

  readonly attempt: number;
  readonly attempts: readonly AttemptOutcome[];
  readonly tools: readonly ToolDefinition[];
  /** The conversation of the attempt, whole (C5). */
  readonly messages: readonly ChatMessage[];
  /** Shorter forms that are sent instead, by message index (C3, C6). */
  readonly folded: Readonly<Record<number, string>>;
  /** Iteration within the attempt, from 1; 0 before the first. */
  readonly iteration: number;
  /** Iterations over all attempts (V10). */
  readonly iterationsUsed: number;
  /** The iteration in hand has no usable reply yet: the next thing is a model call, not a new iteration. */
  readonly awaitingReply: boolean;

  readonly calls: number;
  readonly openCall: EventOf<'model-call.started'> | undefined;
  readonly lastCall: EventOf<'model-call.ended'> | undefined;
  readonly failedCall: FailedCall | undefined;
  /** Retries within the iteration, by cause. */
  readonly retries: {
    readonly length: number;
    readonly malformed: number;
    readonly transient: number;
    readonly overflow: number;
    readonly thinking: number;
  };
  /** The model refused to think: requests go out without from then on. */
  readonly thinkingRefused: boolean;
  /** When the first transient failure of the present series happened; the 60 s window of retries starts there. */
  readonly transientSince: number | undefined;
  readonly reply: PendingReply | undefined;

  /** Every call of the run that was not simply run, by call id. */
  readonly approvals: Readonly<Record<string, Approval>>;

  /** One list per tool-calling iteration of the attempt (G8). */
  readonly callHistory: readonly (readonly ToolCall[])[];
  /** Sequence numbers of the replies behind `callHistory`, entry by entry. */
  readonly callHistorySeqs: readonly number[];
  /** `reply.parsed` of the last reply that was read; 0 before the first. */
  readonly lastReplySeq: number;
  /** Iteration of the last successful `write_file` in the attempt; 0 at the start (G10). */
  readonly lastWriteIteration: number;
  /** The event of that write; 0 at the start. */
  readonly lastWriteSeq: number;
  readonly nudges: number;
  readonly nudgeSeqs: readonly number[];
  /** The last look at the budget, before the iteration in hand. */
  readonly budget: EventOf<'budget.checked'> | undefined;
  /** Estimated and measured tokens of the last request (C11). */
  readonly context: { readonly estimatedTokens: number; readonly promptTokens: number | undefined };

  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: number;
  /** What the time went into, in milliseconds: calls of the model, of tools, and of the former those that say how fast they wrote. */
  readonly spent: {
    readonly modelMs: number;
    readonly toolMs: number;
    readonly writingMs: number;
    /** Tokens written in `writingMs`. */
    readonly writtenTokens: number;
  };
  /** The model call that took the longest. */
  readonly longestCall: { readonly call: number; readonly seq: number; readonly ms: number } | undefined;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly filesWritten: readonly string[];
  /** The last visible text the model wrote, whatever became of it (T17). */
  readonly lastText: string;
  /** Calls read, by layer, and how many replies needed repair (P17). */
  readonly parsed: Readonly<Record<'native' | 'json' | 'xml', number>> & {
    readonly repaired: number;
    readonly malformed: number;
    readonly refused: number;
  };

  /** The turns of a session. */
  readonly turns: {
    /** Ended ones (S21). */
    readonly completed: number;
    /** Empty ones in a row, up to the last (S18). */
    readonly empty: number;
    /** The turn after which the last pause was made (S16). */
    readonly pausedAfter: number;
    /** Whether the model has something to answer: a result, a message, the words of the harness. */
    readonly prompted: boolean;
  };
  /** The cycles of an exploration. */
  readonly cycle: {
    /** The last that began, from 1; 0 before the first. */
    readonly number: number;
    readonly open: boolean;
    /** Iterations before it began: its own calls are those after them (X22). */
    readonly iterationsBefore: number;
    /** Cycles in a row that brought neither a call nor a text. */
    readonly empty: number;
  };
  /** Every reflection so far, oldest first (X11). */
  readonly reflections: readonly Reflection[];
  /** The last look at the diversity of reflections (X21). */
  readonly diversity: EventOf<'diversity.advised'> | undefined;
  /** The memory of the run by key, in the order of writing (O12, O13). */
  readonly memory: ReadonlyMap<string, Memory>;
  readonly operatorMessages: readonly OperatorMessage[];
  readonly agentMessages: readonly AgentMessage[];

  readonly stop: { readonly force: boolean; readonly at: number; readonly requests: number } | undefined;
  readonly result: RunResult | undefined;
  readonly ended: EventOf<'run.ended'> | undefined;
}

/** The state before the first event. */
export function emptyRunState(runId: string): RunState {
  return {
    runId,
    seq: 0,
    phase: 'queued',
    phaseSince: 0,
    config: undefined,
    parent: undefined,
    forked: undefined,
    createdAt: 0,
    startedAt: undefined,
    updatedAt: 0,
    worker: undefined,
    epoch: 0,
    resumes: 0,
    resumedAt: undefined,
    lostMs: 0,
    preflight: undefined,
    loaded: undefined,
    logPath: undefined,
    attempt: 0,
    attempts: [],
    tools: [],
    messages: [],
    folded: {},
    iteration: 0,
    iterationsUsed: 0,
    awaitingReply: false,
    calls: 0,
    openCall: undefined,
    lastCall: undefined,
    failedCall: undefined,
    retries: { length: 0, malformed: 0, transient: 0, overflow: 0, thinking: 0 },
    thinkingRefused: false,
    transientSince: undefined,
    reply: undefined,
    approvals: {},
    callHistory: [],
    callHistorySeqs: [],
    lastReplySeq: 0,
    lastWriteIteration: 0,
    lastWriteSeq: 0,
    nudges: 0,
    nudgeSeqs: [],
    budget: undefined,
    context: { estimatedTokens: 0, promptTokens: undefined },
    tokensIn: 0,
    tokensOut: 0,
    costUsd: 0,
    spent: { modelMs: 0, toolMs: 0, writingMs: 0, writtenTokens: 0 },
    longestCall: undefined,
    toolCalls: 0,
    failedToolCalls: 0,
    filesWritten: [],
    lastText: '',
    parsed: { native: 0, json: 0, xml: 0, repaired: 0, malformed: 0, refused: 0 },
    turns: { completed: 0, empty: 0, pausedAfter: 0, prompted: true },
    cycle: { number: 0, open: false, iterationsBefore: 0, empty: 0 },
    reflections: [],
    diversity: undefined,
    memory: new Map(),
    operatorMessages: [],
    agentMessages: [],
    stop: undefined,
    result: undefined,
    ended: undefined,
  };
}
