import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../errors/app-error.ts';
import type { ApprovalChoice, RunConfig } from '../events/config.ts';
import type { EventOf, NewEvent } from '../events/registry.ts';
import type { Approval, PendingCall, RunState } from '../events/run-state.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import type { JsonObject } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';

const NOTE_CHARS = 2000;

/** An operator's decision about a call, as received from the API. */
export interface ApprovalRequest {
  callId: string;
  decision: 'approved' | 'edited' | 'denied';
  /** For `edited`: the arguments to use instead of the model's. */
  arguments?: JsonObject;
  reason?: string;
}

/** The run's approval setting for a tool. */
export function approvalChoice(policy: RunConfig['approval'], tool: string): ApprovalChoice {
  if (!policy) return 'auto';
  const { tools = {} } = policy;
  return (Object.hasOwn(tools, tool) ? tools[tool] : undefined) ?? policy.default;
}

/** Asks the operator to approve a call. */
export function approvalRequested(call: PendingCall, iteration: number): NewEvent {
  return {
    type: 'approval.requested',
    call_id: call.callId,
    iteration,
    tool: call.name,
    arguments: call.arguments,
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
  const why = decided.reason ? `: ${decided.reason}` : '.';
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
 * The events that record an operator's decision; none if the same decision was already recorded. Pure.
 *
 * @throws {AppError} `run_ended`, `approval_not_found`, `already_decided`; `invalid_request` for edited arguments
 *   that do not fit the tool
 */
export function decideApproval(state: RunState, request: ApprovalRequest): NewEvent[] {
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
  return [{ type: 'approval.decided', ...decision }];
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
  const { decision, reason } = request;
  if (decision === 'denied') return { ...made, decision, ...(reason ? { reason } : {}) };
  if (decision === 'approved') return { ...made, decision };
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
    first.reason === second.reason &&
    isDeepStrictEqual(first.arguments, second.arguments)
  );
}
