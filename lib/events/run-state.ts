import type { ChatMessage } from '../model/chat-model.ts';
import type { ParserLayer } from '../parser/layers.ts';
import type { ToolCall, ToolDefinition } from '../parser/types.ts';
import { type AutoRunFiles, noAutoRunFiles } from './auto-run-files.ts';
import type { RunConfig } from './config.ts';
import type { ImageRef, KnownImages } from './image.ts';
import type { EventOf, RunEventType } from './registry.ts';
import { NO_RETRIES, type Retries } from './retry-limits.ts';
import type { RunResult } from './run.ts';
import type { RunPhase } from './run-phase.ts';
import type { WaitCause } from './session.ts';
import type { Outcome, TerminationReason, VerificationOutcome } from './termination.ts';

/** A call of the current reply. */
export interface PendingCall {
  callId: string;
  /** Its ID in messages (S10): the server's, otherwise `callId`. */
  messageId: string;
  name: string;
  arguments: ToolCall['arguments'];
  status: 'waiting' | 'running' | 'done';
  startedSeq?: number;
}

/** The approval request and decision of a call; decided at most once. */
export interface Approval {
  readonly tool: string;
  /** `undefined` for a call that the policy denied without asking. */
  readonly requested: EventOf<'approval.requested'> | undefined;
  readonly decided: EventOf<'approval.decided'> | undefined;
}

/** The current reply: parsed, but not yet followed by tool results, a nudge, a retry or the end. */
export interface PendingReply {
  call: number;
  seq: number;
  outcome: 'tool_calls' | 'final_answer' | 'empty';
  text: string;
  malformed: boolean;
  cut: boolean;
  /** Generated tokens, if reported. */
  replyTokens?: number;
  calls: readonly PendingCall[];
  /** How many calls it contained, if more than were read. */
  containedCalls?: number;
  /** Set once the first call started; from then on the reply is part of the conversation (T12). */
  accepted: boolean;
}

export interface FailedCall {
  call: number;
  seq: number;
  kind: EventOf<'model-call.failed'>['kind'];
  /** Whether retrying the same request may succeed. */
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
  /** Its embedding, if the run compares by embeddings and has compared it. */
  readonly vector?: readonly number[];
}

/** A current memory (O12). */
interface Memory {
  readonly value: string;
  /** The event that wrote it. */
  readonly seq: number;
  readonly cycle: number;
}

/** An operator message and its status. */
export interface OperatorMessage {
  readonly id: string;
  readonly text: string;
  readonly images?: readonly ImageRef[];
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly seq: number;
  /** `returned`: the run ended before it was delivered. */
  readonly status: 'queued' | 'delivered' | 'returned';
  /** The policy that wrote it; missing for a person. */
  readonly by?: EventOf<'operator.messaged'>['by'];
  /** Of the request that sent it to this run; missing for one that a fork has copied. */
  readonly idempotencyKey?: string;
  /** The event that delivered it. */
  readonly deliveredSeq?: number;
}

/** A message from the model to the operator (O14). */
interface AgentMessage {
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
  /** The failure that ended it. */
  error?: EventOf<'verification.started'>['error'];
  outcome?: VerificationOutcome;
  checks: EventOf<'verification.checked'>['checks'];
}

/**
 * The state derived from a log, computed only by `foldRun`. The loop decides from it; dashboard and exports show it.
 * Values are shared between states and never modified in place.
 */
export interface RunState {
  readonly runId: string;
  /** Sequence number of the last event; 0 before the first. */
  readonly seq: number;
  readonly phase: RunPhase;
  /** Start of the phase, in milliseconds since 1970. */
  readonly phaseSince: number;
  readonly config: RunConfig | undefined;
  /** The run this one was forked from, and the last copied event. */
  readonly parent: { readonly run_id: string; readonly seq: number } | undefined;
  /** The changes made at the fork. Totals include the copied part. */
  readonly forked: EventOf<'run.forked'> | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  /** `at` of the last event. */
  readonly updatedAt: number;
  readonly worker: string | undefined;
  readonly epoch: number;
  readonly resumes: number;
  /** When a worker last resumed the run, in milliseconds since 1970. */
  readonly resumedAt: number | undefined;
  /**
   * Time since the start during which no worker held the run or it yielded its slot, in milliseconds.
   */
  readonly lostMs: number;
  /** The wait for a model server that is down. */
  readonly serverWait:
    | {
        readonly seq: number;
        /** Since when this worker has waited, in milliseconds since 1970. */
        readonly since: number;
        readonly limitMs: number;
        readonly error: EventOf<'server-wait.started'>['error'];
        readonly gaveUp: boolean;
      }
    | undefined;
  /** The waits since the server last answered a call: start of the first, in milliseconds since 1970, and number. */
  readonly serverDown: { readonly since: number; readonly waits: number } | undefined;
  /** Time since the start spent waiting for the operator or for the model server, in milliseconds, without a wait in progress. */
  readonly waitedMs: number;
  /** Start of the wait in progress, in milliseconds since 1970. */
  readonly waitingSince: number | undefined;
  /** `waitedMs` at the last budget check. */
  readonly waitedAtCheck: number;
  readonly preflight: EventOf<'preflight.checked'> | undefined;
  readonly loaded: EventOf<'model.loaded'> | undefined;

  /** The log file of a session (S4). */
  readonly logPath: string | undefined;

  readonly attempt: number;
  readonly attempts: readonly AttemptOutcome[];
  readonly tools: readonly ToolDefinition[];
  /** The complete conversation of the attempt (C5). */
  readonly messages: readonly ChatMessage[];
  /** Shortened contents to send instead, by message index (C3, C6). */
  readonly folded: Readonly<Record<number, string>>;
  /** The images of the run. */
  readonly images: KnownImages;
  /** Iteration within the attempt, from 1; 0 before the first. */
  readonly iteration: number;
  /** Iterations over all attempts (V10). */
  readonly iterationsUsed: number;
  /** The current iteration has no usable reply yet: the next step is a model call, not a new iteration. */
  readonly awaitingReply: boolean;

  readonly calls: number;
  readonly openCall: EventOf<'model-call.started'> | undefined;
  readonly lastCall: EventOf<'model-call.ended'> | undefined;
  /** Whether the request of that call offered tools; one for data or a summary does not. */
  readonly lastCallOffered: boolean;
  /** The reply limit of that call; a fork may have another one. */
  readonly lastCallLimit: number | undefined;
  readonly failedCall: FailedCall | undefined;
  /** Retries within the iteration, by cause. */
  readonly retries: Retries;
  /** The `think` value sent instead of the configured one, which the model refused. */
  readonly acceptedThink: RunConfig['think'] | undefined;
  /** Time of the first transient failure in the current series, which starts the 60 s retry window. */
  readonly transientSince: number | undefined;
  readonly reply: PendingReply | undefined;
  /** The answer of a run with an `answer_schema`. */
  readonly answer: {
    /** Whether the last reply fits; missing while that is unknown. */
    readonly checked: EventOf<'answer.checked'> | undefined;
    /** How often the model was asked again for valid data in this attempt. */
    readonly asked: number;
  };

  /** Calls that needed approval or were denied, by call ID. */
  readonly approvals: Readonly<Record<string, Approval>>;
  /** Tools whose calls the operator approved for the rest of the run, with the events of those decisions. */
  readonly approvedTools: Readonly<Record<string, number>>;
  /** Requests of MCP servers during calls, one at a time. */
  readonly mcpRequests: {
    readonly count: number;
    /** The one that waits for the operator. */
    readonly open: EventOf<'mcp-request.received'> | undefined;
    /** The last answer. */
    readonly answered: EventOf<'mcp-request.answered'> | undefined;
  };

  /** One list per tool-calling iteration of the attempt (G8). */
  readonly callHistory: readonly (readonly ToolCall[])[];
  /** Sequence numbers of the replies behind `callHistory`, entry by entry. */
  readonly callHistorySeqs: readonly number[];
  /** Sequence number of the last `reply.parsed`; 0 before the first. */
  readonly lastReplySeq: number;
  /** Whether that reply was cut off (T21). */
  readonly lastReplyCut: boolean;
  /**
   * Losses of that reply: tokens that never arrived, and whether it contained a call that could not be parsed and
   * none that could (T22).
   */
  readonly lastReplyLoss: { readonly swallowedTokens: number; readonly malformed: boolean };
  /** Calls that succeeded since the last nudge, over all attempts; since the start before the first nudge. */
  readonly callsSucceeded: number;
  /** The last iteration of the attempt in which a file was written or a result was new; 0 at the start (G10, G11). */
  readonly lastNewsIteration: number;
  /** The event with that result; 0 at the start. */
  readonly lastNewsSeq: number;
  readonly nudges: number;
  readonly nudgeSeqs: readonly number[];
  /** The last budget check, before the current iteration. */
  readonly budget: EventOf<'budget.checked'> | undefined;
  /** Estimated and measured tokens of the last request, including one refused as too long (C11). */
  readonly context: { readonly estimatedTokens: number; readonly promptTokens: number | undefined };

  /**
   * The last measured prompt of this conversation, in tokens with tool definitions, and the characters of its messages.
   * `undefined` before the first measurement, and where the server cut a prompt.
   */
  readonly measured: { readonly tokens: number; readonly chars: number } | undefined;
  /** Handovers of this conversation to a fresh context. */
  readonly handover: {
    /** How many messages came before the request for a summary, while the model writes one. */
    readonly kept: number | undefined;
    /** Whether the model had something to answer before that. */
    readonly prompted: boolean;
    /** The completed ones. */
    readonly count: number;
    /** Characters of the conversation after the last handover, done or failed. */
    readonly fromChars: number;
  };

  /** Prompt warnings raised so far: by code, the window at the last one. */
  readonly promptAlarms: Readonly<Partial<Record<string, number>>>;

  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How many of both are estimates, from calls without counts. */
  readonly tokensEstimated: number;
  /** In US dollars; `undefined` if the model has no price. */
  readonly costUsd: number | undefined;
  /** Time spent, in milliseconds: in model calls, in tools, and in those model calls that report their speed. */
  readonly spent: {
    readonly modelMs: number;
    readonly toolMs: number;
    readonly writingMs: number;
    /** Tokens generated in `writingMs`. */
    readonly writtenTokens: number;
  };
  /** The model call that took the longest. */
  readonly longestCall: { readonly call: number; readonly seq: number; readonly ms: number } | undefined;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly filesWritten: readonly string[];
  /** Written files that other programs run or obey automatically. */
  readonly autoRunFiles: AutoRunFiles;
  /** The last visible text the model wrote, even if it was discarded (T17). */
  readonly lastText: string;
  /**
   * Parsed calls by layer, and replies that needed repair (P17). `malformed` counts replies with a call that neither
   * Loupe nor Ollama could parse.
   */
  readonly parsed: Readonly<Record<ParserLayer, number>> & {
    readonly repaired: number;
    readonly malformed: number;
    readonly refused: number;
  };

  /** The turns of a session. */
  readonly turns: {
    /** Ended turns (S21). */
    readonly completed: number;
    /** Empty turns in a row, up to the last (S18). */
    readonly empty: number;
    /** Tokens that never arrived, of all replies since the last that was not empty. */
    readonly swallowedTokens: number;
    /** The turn after which the last pause was made (S16). */
    readonly pausedAfter: number;
    /** Whether the model has something to answer: a result, a message or a prompt. */
    readonly prompted: boolean;
  };
  /** Whether a session continues without the operator. */
  readonly autopilot: {
    readonly on: boolean;
    /** Turns and working time until the operator last wrote or switched it on; its limits count from there. */
    readonly fromTurn: number;
    readonly fromMs: number;
  };
  /** The event since which a session waits for a message, and why. */
  readonly awaiting: { readonly seq: number; readonly cause: WaitCause } | undefined;
  /** Whether the wait for a message is over, but no worker has taken the run since. */
  readonly woken: boolean;
  /** The cycles of an exploration. */
  readonly cycle: {
    /** The last started cycle, from 1; 0 before the first. */
    readonly number: number;
    readonly open: boolean;
    /** Iterations before it started; its own calls come after them (X22). */
    readonly iterationsBefore: number;
    /** Cycles in a row with neither call nor text. */
    readonly empty: number;
    /** Tokens that never arrived, of all replies since the last that was not empty. */
    readonly swallowedTokens: number;
  };
  /** Every reflection so far, oldest first (X11). */
  readonly reflections: readonly Reflection[];
  /** The last diversity check (X21). */
  readonly diversity: EventOf<'diversity.advised'> | undefined;
  /** The run's memory by key, in write order (O12, O13). */
  readonly memory: ReadonlyMap<string, Memory>;
  readonly operatorMessages: readonly OperatorMessage[];
  readonly agentMessages: readonly AgentMessage[];
  /** The last call for which the operator policy has done its part: waited for a person, or asked a model. */
  readonly operatorAsked: string | undefined;

  readonly stop: { readonly force: boolean; readonly at: number; readonly requests: number } | undefined;
  readonly result: RunResult | undefined;
  readonly ended: EventOf<'run.ended'> | undefined;
  /** As recorded at the end; for older logs, derived from the other facts. */
  readonly outcome: Outcome | undefined;
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
    serverWait: undefined,
    serverDown: undefined,
    waitedMs: 0,
    waitingSince: undefined,
    waitedAtCheck: 0,
    preflight: undefined,
    loaded: undefined,
    logPath: undefined,
    attempt: 0,
    attempts: [],
    tools: [],
    messages: [],
    folded: {},
    images: { kept: new Map(), factor: undefined },
    iteration: 0,
    iterationsUsed: 0,
    awaitingReply: false,
    answer: { checked: undefined, asked: 0 },
    calls: 0,
    openCall: undefined,
    lastCall: undefined,
    lastCallOffered: false,
    lastCallLimit: undefined,
    failedCall: undefined,
    retries: NO_RETRIES,
    acceptedThink: undefined,
    transientSince: undefined,
    reply: undefined,
    approvals: {},
    approvedTools: {},
    mcpRequests: { count: 0, open: undefined, answered: undefined },
    callHistory: [],
    callHistorySeqs: [],
    lastReplySeq: 0,
    lastReplyCut: false,
    lastReplyLoss: { swallowedTokens: 0, malformed: false },
    callsSucceeded: 0,
    lastNewsIteration: 0,
    lastNewsSeq: 0,
    nudges: 0,
    nudgeSeqs: [],
    budget: undefined,
    context: { estimatedTokens: 0, promptTokens: undefined },
    measured: undefined,
    handover: { kept: undefined, prompted: true, count: 0, fromChars: 0 },
    promptAlarms: {},
    tokensIn: 0,
    tokensOut: 0,
    tokensEstimated: 0,
    costUsd: undefined,
    spent: { modelMs: 0, toolMs: 0, writingMs: 0, writtenTokens: 0 },
    longestCall: undefined,
    toolCalls: 0,
    failedToolCalls: 0,
    filesWritten: [],
    autoRunFiles: noAutoRunFiles,
    lastText: '',
    parsed: { native: 0, json: 0, xml: 0, repaired: 0, malformed: 0, refused: 0 },
    turns: { completed: 0, empty: 0, swallowedTokens: 0, pausedAfter: 0, prompted: true },
    autopilot: { on: true, fromTurn: 0, fromMs: 0 },
    awaiting: undefined,
    woken: false,
    cycle: { number: 0, open: false, iterationsBefore: 0, empty: 0, swallowedTokens: 0 },
    reflections: [],
    diversity: undefined,
    memory: new Map(),
    operatorMessages: [],
    agentMessages: [],
    operatorAsked: undefined,
    stop: undefined,
    result: undefined,
    ended: undefined,
    outcome: undefined,
  };
}

/** For each type of event: the state after such an event. Pure. */
export type Reducers = {
  readonly [T in RunEventType]: (state: RunState, event: EventOf<T>) => RunState;
};
