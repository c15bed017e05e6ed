import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../errors/app-error.ts';
import type { ApprovalScope } from '../events/approval.ts';
import type { ApprovalChoice } from '../events/approval-choices.ts';
import type { ChangedFile } from '../events/changed-file.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import { placeEvents } from '../events/place-events.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import type { Approval, PendingCall, RunState } from '../events/run-state.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import type { JsonObject } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import { surplusCall } from './calls-per-reply.ts';
import type { ReadyState } from './rule.ts';

const NOTE_CHARS = 2000;
/** The longest file whose content is logged with the request to change it. */
const SHOWN_FILE_CHARS = 200_000;

/** An operator's decision about a call, as received from the API. */
export interface ApprovalRequest {
  callId: string;
  decision: EventOf<'approval.decided'>['decision'];
  /** For `approved`. Default: `once`. */
  scope?: ApprovalScope;
  /** For `edited`: the arguments to use instead of the model's. */
  arguments?: JsonObject;
  reason?: string;
}

/** An earlier approval that covers a call. */
export type StandingApproval = NonNullable<EventOf<'approval.decided'>['standing']>;

/** The run's approval setting for a tool. */
export function approvalChoice(policy: RunConfig['approval'], tool: string): ApprovalChoice {
  if (!policy) return 'auto';
  const { tools = {} } = policy;
  return (Object.hasOwn(tools, tool) ? tools[tool] : undefined) ?? policy.default;
}

/**
 * The calls of a reply to ask the operator about together: the next one, and those after it that will need approval, so
 * that all can be decided at once.
 *
 * @param alwaysAsk tools whose calls need approval whatever the run's policy says
 */
export function callsToAsk(
  state: ReadyState,
  next: PendingCall,
  alwaysAsk: readonly string[],
): PendingCall[] {
  const { reply, approvals, config } = state;
  const later = reply?.calls.slice(reply.calls.indexOf(next) + 1) ?? [];
  return [
    next,
    ...later.filter((call) => {
      if (!reply || approvals[call.callId] || surplusCall(reply, call)) return false;
      const choice = approvalChoice(config.approval, call.name);
      return choice === 'ask' || (choice === 'auto' && alwaysAsk.includes(call.name));
    }),
  ];
}

/** Asks the operator to approve a call. */
export function approvalRequested(
  call: PendingCall,
  asked: { iteration: number; file?: ChangedFile; scopes: readonly ApprovalScope[] },
): NewEvent {
  const { iteration, file, scopes } = asked;
  return {
    type: 'approval.requested',
    call_id: call.callId,
    iteration,
    tool: call.name,
    arguments: call.arguments,
    ...(file && { file: boundedFile(file) }),
    scopes: [...scopes],
  };
}

/** A large file is not logged before its call is approved. */
function boundedFile({ path, before }: ChangedFile): ChangedFile {
  if (before.kind === 'text' && before.text.length > SHOWN_FILE_CHARS) {
    return { path, before: { kind: 'not_kept', size_bytes: Buffer.byteLength(before.text) } };
  }
  if (before.kind !== 'binary') return { path, before };
  return { path, before: { kind: 'not_kept', size_bytes: Buffer.byteLength(before.base64, 'base64') } };
}

/** Approves a call that an earlier approval covers. */
export function approvedBefore(
  call: Pick<PendingCall, 'callId' | 'name'>,
  standing: StandingApproval,
): NewEvent {
  return {
    type: 'approval.decided',
    call_id: call.callId,
    tool: call.name,
    decision: 'approved',
    by: 'standing-approval',
    standing,
  };
}

/** Denies a call by policy, without asking the operator. */
export function refusedByPolicy(call: PendingCall): NewEvent {
  return {
    type: 'approval.decided',
    call_id: call.callId,
    tool: call.name,
    decision: 'denied',
    reason: `This run does not allow ${call.name}.`,
    by: 'policy',
  };
}

/** The result of a denied call. The model reads the reason and that nothing ran. */
export function deniedResult(call: PendingCall, decided: EventOf<'approval.decided'>): NewEvent {
  const who = decided.by === 'operator' ? 'The operator denied this call' : 'This call was denied';
  const reason = decided.reason?.trim();
  const why = reason ? `: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}` : '.';
  return {
    type: 'tool-call.ended',
    call_id: call.callId,
    tool: call.name,
    result: {
      success: false,
      tool: call.name,
      output: {
        error: `${who}${why} It was not run and nothing was changed. Go on without it or choose another way.`,
        denied: true,
      },
    },
    duration_ms: 0,
  };
}

/** The note sent to the model with the result of a call that the operator edited. */
export function editNote(state: RunState, call: PendingCall): string | undefined {
  const decided = state.approvals[call.callId]?.decided;
  if (decided?.decision !== 'edited') return undefined;
  const ran = shortText(JSON.stringify(decided.arguments), NOTE_CHARS);
  return `The operator changed the arguments of this call before it ran. It ran with: ${ran}`;
}

/**
 * The events that record an operator's decisions, made together; none for those already recorded. Pure.
 *
 * @throws {AppError} `run_ended`, `approval_not_found`, `already_decided`; `invalid_request` for edited arguments
 *   that do not fit the tool, or a scope that the call does not offer. Then none of them is recorded
 */
export function decideApprovals(state: RunState, requests: readonly ApprovalRequest[]): NewEvent[] {
  const named = new Set(requests.map(({ callId }) => callId));
  const events: NewEvent[] = [];
  let now = state;
  for (const request of requests) {
    const decided = decideApproval(now, request, named);
    now = foldAll(now, placeEvents(now, decided, now.updatedAt));
    events.push(...decided);
  }
  return events;
}

/** @param named calls with their own decision, which another approval's scope does not cover */
function decideApproval(state: RunState, request: ApprovalRequest, named: ReadonlySet<string>): NewEvent[] {
  const approval = Object.hasOwn(state.approvals, request.callId)
    ? state.approvals[request.callId]
    : undefined;
  if (!approval?.requested) {
    throw new AppError({
      code: 'approval_not_found',
      message: `This run has no call "${request.callId.slice(0, 100)}" that asked for approval.`,
      hint: 'Use the call_id of an approval.requested event.',
    });
  }
  const decision = decisionOf(state, approval.requested, request);
  if (approval.decided) {
    if (sameDecision(approval.decided, decision)) return [];
    throw new AppError({
      code: 'already_decided',
      message: `This call was already ${approval.decided.decision}.`,
      hint: 'A decision is final. To keep the run from continuing, stop it.',
    });
  }
  if (state.ended || state.stop || !isWaiting(state, approval)) {
    throw new AppError({
      code: 'run_ended',
      message: 'The run has ended or is stopping, so this call will not run.',
    });
  }
  const { call_id: callId, tool, scope = 'once' } = decision;
  const events: NewEvent[] = [{ type: 'approval.decided', ...decision }];
  if (scope === 'once') return events;
  const run = scope === 'tool_and_folder' ? { run_id: state.runId } : {};
  const standing = { scope, seq: state.seq + 1, ...run };
  const covered = coveredCalls(state, { callId, tool, scope }).filter((call) => !named.has(call.callId));
  return [...events, ...covered.map((call) => approvedBefore(call, standing))];
}

/** Other calls of the reply that wait for the operator and that an approval with this scope covers as well. */
function coveredCalls(
  { reply, approvals }: RunState,
  { callId, tool, scope }: { callId: string; tool: string; scope: ApprovalScope },
): PendingCall[] {
  return (reply?.calls ?? []).filter((call) => {
    const approval = approvals[call.callId];
    const isUndecided = approval?.requested?.scopes?.includes(scope) && !approval.decided;
    return call.callId !== callId && call.name === tool && call.status === 'waiting' && isUndecided;
  });
}

function isWaiting(state: RunState, { requested }: Approval): boolean {
  const call = state.reply?.calls.find(({ callId }) => callId === requested?.call_id);
  return call?.status === 'waiting';
}

type Decision = Omit<EventOf<'approval.decided'>, 'run_id' | 'seq' | 'at' | 'type'>;

function decisionOf(
  state: RunState,
  requested: EventOf<'approval.requested'>,
  request: ApprovalRequest,
): Decision {
  const made = { call_id: requested.call_id, tool: requested.tool, by: 'operator' as const };
  const { decision, reason, scope = 'once' } = request;
  if (scope !== 'once' && (decision !== 'approved' || !requested.scopes?.includes(scope))) {
    throw new AppError({
      code: 'invalid_request',
      message: `scope: This call cannot be ${decision} with the scope "${scope}".`,
      hint: 'The approval.requested event of the call lists the scopes it offers.',
    });
  }
  if (decision === 'denied') return { ...made, decision, ...(reason ? { reason } : {}) };
  if (decision === 'approved') return { ...made, decision, ...(scope !== 'once' && { scope }) };
  const args = checkedArguments(state.tools, requested.tool, request.arguments);
  return isDeepStrictEqual(args, requested.arguments)
    ? { ...made, decision: 'approved' }
    : { ...made, decision, arguments: args };
}

/** Validates arguments written by the operator. @throws {AppError} `invalid_request` */
export function checkedArguments(
  tools: RunState['tools'],
  tool: string,
  args: JsonObject | undefined,
): JsonObject {
  const definition = tools.find((each) => each.function.name === tool);
  const problems = args && definition ? validateArguments(args, definition.function.parameters) : undefined;
  if (args && problems?.length === 0) return args;
  throw new AppError({
    code: 'invalid_request',
    message: !args
      ? 'arguments: Required for an edited call.'
      : problems
        ? `arguments: ${problems.map(({ message }) => message).join(' ')}`
        : `The tool "${tool}" was not found, so its arguments cannot be checked.`,
  });
}

function sameDecision(first: EventOf<'approval.decided'>, second: Decision): boolean {
  return (
    first.decision === second.decision &&
    first.by === second.by &&
    first.scope === second.scope &&
    first.reason === second.reason &&
    isDeepStrictEqual(first.arguments, second.arguments)
  );
}
