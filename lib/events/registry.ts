import { z } from 'zod';
import { answerChecked } from './answer.ts';
import { approvalDecided, approvalRequested } from './approval.ts';
import { runCreated } from './config.ts';
import { cycleReflected, cycleStarted, diversityAdvised, memoryChanged } from './explore.ts';
import { runForked } from './fork.ts';
import { handoverEnded, handoverStarted } from './handover.ts';
import {
  mcpMessagesLogged,
  mcpRequestAnswered,
  mcpRequestReceived,
  mcpSamplingEnded,
  mcpSamplingStarted,
} from './mcp-request.ts';
import {
  attemptStarted,
  iterationStarted,
  modelCallEnded,
  modelCallFailed,
  modelCallStarted,
  replyParsed,
} from './model-call.ts';
import {
  agentMessaged,
  operatorCallEnded,
  operatorCallStarted,
  operatorDelivered,
  operatorMessaged,
} from './operator.ts';
import { budgetChecked, policyCompacted, policyNudged, policyRetried, policyWarned } from './policy.ts';
import {
  modelLoaded,
  modelLoadStarted,
  preflightChecked,
  runEnded,
  runResumed,
  runStarted,
  stopRequested,
} from './run.ts';
import { serverWaitEnded, serverWaitStarted } from './server-wait.ts';
import { autopilotSwitched, harnessPrompted, messageAwaited, turnEnded, turnPaused } from './session.ts';
import { toolCallEnded, toolCallInterrupted, toolCallStarted } from './tool-call.ts';
import { verificationChecked, verificationStarted } from './verification.ts';

/** All event types. To add one, write a schema, list it here, and add what the compiler asks for. */
export const runEvent = z.discriminatedUnion('type', [
  runCreated,
  runForked,
  runStarted,
  runResumed,
  preflightChecked,
  modelLoadStarted,
  modelLoaded,
  serverWaitStarted,
  serverWaitEnded,
  attemptStarted,
  iterationStarted,
  modelCallStarted,
  modelCallEnded,
  modelCallFailed,
  replyParsed,
  approvalRequested,
  approvalDecided,
  toolCallStarted,
  mcpRequestReceived,
  mcpRequestAnswered,
  mcpSamplingStarted,
  mcpSamplingEnded,
  mcpMessagesLogged,
  toolCallEnded,
  toolCallInterrupted,
  answerChecked,
  policyNudged,
  policyRetried,
  policyCompacted,
  policyWarned,
  budgetChecked,
  verificationStarted,
  verificationChecked,
  turnEnded,
  turnPaused,
  harnessPrompted,
  messageAwaited,
  autopilotSwitched,
  cycleStarted,
  cycleReflected,
  diversityAdvised,
  memoryChanged,
  handoverStarted,
  handoverEnded,
  operatorCallStarted,
  operatorCallEnded,
  operatorMessaged,
  operatorDelivered,
  agentMessaged,
  stopRequested,
  runEnded,
]);

export type RunEvent = z.infer<typeof runEvent>;

/** The names of all event types. A later version may write others. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(
  runEvent.options.map(({ shape }) => shape.type.value),
);

export type RunEventType = RunEvent['type'];
/** One event type by its name: `EventOf<'run.ended'>`. */
export type EventOf<T extends RunEventType> = Extract<RunEvent, { type: T }>;
/** For each type of event: a function of such an event. */
export type EventHandlers<Result> = { readonly [T in RunEventType]: (event: EventOf<T>) => Result };

type WithoutEnvelope<E> = E extends RunEvent ? Omit<E, 'run_id' | 'seq' | 'at'> : never;
/** An event before the store assigns its envelope, as appended by the engine. */
export type NewEvent = WithoutEnvelope<RunEvent>;
