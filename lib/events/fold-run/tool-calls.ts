import { appended } from '../appended.ts';
import { withAutoRunFiles } from '../auto-run-files.ts';
import { readReplyMessage, resultMessage } from '../conversation.ts';
import { withImages } from '../message-images.ts';
import { WRITING_TOOLS } from '../modes.ts';
import type { EventOf, RunEvent } from '../registry.ts';
import type { RunPhase } from '../run-phase.ts';
import type { Approval, PendingReply, Reducers, RunState } from '../run-state.ts';
import { addUsage } from '../token-usage.ts';

/** Calls of tools: approvals, results, and requests of MCP servers during a call. */
export const toolCalls = {
  'approval.requested': (state, event): RunState =>
    withApproval(accepted(state, event).state, event, { requested: event, decided: undefined }),
  'approval.decided': (state, event): RunState => {
    const requested = state.approvals[event.call_id]?.requested;
    const next = withApproval(accepted(state, event).state, event, { requested, decided: event });
    const { tool, seq } = event;
    return event.scope === 'run' ? { ...next, approvedTools: { ...next.approvedTools, [tool]: seq } } : next;
  },
  'tool-call.started': toolStarted,
  'tool-call.ended': toolEnded,
  'tool-call.interrupted': toolEnded,
  'mcp-request.received': (state, event): RunState => ({
    ...state,
    phase: 'awaiting-approval',
    mcpRequests: { ...state.mcpRequests, count: state.mcpRequests.count + 1, open: event },
  }),
  'mcp-request.answered': (state, event): RunState =>
    withoutRequest({ ...state, mcpRequests: { ...state.mcpRequests, answered: event } }),
  'mcp-sampling.started': (state, event): RunState => ({
    ...state,
    waitedMs: state.waitedMs + (event.waited_ms ?? 0),
  }),
  'mcp-sampling.ended': sampled,
  'mcp-messages.logged': (state): RunState => state,
} satisfies Partial<Reducers>;

function toolStarted(before: RunState, event: EventOf<'tool-call.started'>): RunState {
  const { reply, state } = accepted(before, event);
  const running: PendingReply = {
    ...reply,
    calls: reply.calls.map((call) =>
      call.callId === event.call_id ? { ...call, status: 'running', startedSeq: event.seq } : call,
    ),
  };
  return { ...state, phase: 'executing', reply: running, toolCalls: state.toolCalls + 1 };
}

/**
 * The first call that starts, needs approval or is not run adds the reply to the conversation: one assistant message
 * with all calls as the model wrote them (T12).
 */
function accepted(state: RunState, event: RunEvent): { state: RunState; reply: PendingReply } {
  if (!state.reply)
    throw new RangeError(`Run ${state.runId}: event ${event.seq} refers to a call that is in no reply`);
  if (state.reply.accepted) return { state, reply: state.reply };
  const reply = { ...state.reply, accepted: true };
  const calls = reply.calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  const message = readReplyMessage(reply, state.config?.conversation);
  const after = {
    ...state,
    reply,
    awaitingReply: false,
    callHistory: appended<RunState['callHistory'][number]>(state.callHistory, calls),
    callHistorySeqs: appended(state.callHistorySeqs, reply.seq),
    messages: message ? appended(state.messages, message) : state.messages,
  };
  return { state: after, reply };
}

function toolEnded(
  before: RunState,
  event: EventOf<'tool-call.ended'> | EventOf<'tool-call.interrupted'>,
): RunState {
  const { reply, state } = accepted(before, event);
  const call = reply.calls.find((pending) => pending.callId === event.call_id);
  if (!call) throw new RangeError(`Run ${state.runId}: event ${event.seq} ends a call that never started`);
  const decided = state.approvals[call.callId]?.decided;
  const wrote = event.result.success && WRITING_TOOLS.includes(call.name);
  // Older logs do not say what was new; for them, only written files count.
  const news = wrote || (event.type === 'tool-call.ended' && event.new_information === true);
  const path = (decided?.arguments ?? call.arguments).path;
  const answered: PendingReply = {
    ...reply,
    calls: reply.calls.map((pending) => (pending === call ? { ...pending, status: 'done' } : pending)),
  };
  const images = event.type === 'tool-call.ended' ? event.images : undefined;
  // A request that a server left open is void with the call.
  const mcpRequests = { ...state.mcpRequests, open: undefined };
  return {
    ...withImages(state, images),
    // A queued fork records results for calls that are not run.
    phase: state.phase === 'queued' ? state.phase : phaseOfCalls({ ...state, mcpRequests, reply: answered }),
    mcpRequests,
    reply: answered,
    messages: appended(state.messages, resultMessage(call, event.result, state.config?.conversation, images)),
    callsSucceeded: state.callsSucceeded + (event.result.success ? 1 : 0),
    // A denied call never ran, so it does not count as failed.
    failedToolCalls: state.failedToolCalls + (event.result.success || decided?.decision === 'denied' ? 0 : 1),
    // The duration of a call lost with its server is unknown.
    spent:
      event.type === 'tool-call.ended'
        ? { ...state.spent, toolMs: state.spent.toolMs + event.duration_ms }
        : state.spent,
    lastNewsIteration: news ? state.iteration : state.lastNewsIteration,
    lastNewsSeq: news ? event.seq : state.lastNewsSeq,
    filesWritten:
      wrote && typeof path === 'string' && !state.filesWritten.includes(path)
        ? appended(state.filesWritten, path)
        : state.filesWritten,
    autoRunFiles: withAutoRunFiles(state.autoRunFiles, event),
  };
}

function withApproval(
  state: RunState,
  { call_id, tool }: EventOf<'approval.requested'> | EventOf<'approval.decided'>,
  approval: Pick<Approval, 'requested' | 'decided'>,
): RunState {
  const next = { ...state, approvals: { ...state.approvals, [call_id]: { tool, ...approval } } };
  return { ...next, phase: phaseOfCalls(next) };
}

/** Whether the next call of the reply waits for the operator. Later ones may be decided first. */
function phaseOfCalls({ phase, awaiting, serverWait, mcpRequests, reply, approvals }: RunState): RunPhase {
  // Deciding a later call does not end a wait.
  if (awaiting || serverWait) return phase;
  if (mcpRequests.open) return 'awaiting-approval';
  if (reply?.calls.some(({ status }) => status === 'running')) return 'executing';
  const next = reply?.calls.find(({ status }) => status === 'waiting');
  const approval = next && Object.hasOwn(approvals, next.callId) ? approvals[next.callId] : undefined;
  return approval?.requested && !approval.decided ? 'awaiting-approval' : 'executing';
}

/** No server waits for the operator any more. */
function withoutRequest(state: RunState): RunState {
  const next = { ...state, mcpRequests: { ...state.mcpRequests, open: undefined } };
  return { ...next, phase: phaseOfCalls(next) };
}

/** Text that the model wrote for a server uses the run's tokens and time, but is not part of its conversation. */
function sampled(state: RunState, event: EventOf<'mcp-sampling.ended'>): RunState {
  return {
    ...state,
    phase: phaseOfCalls(state),
    ...addUsage(state, event),
    spent: { ...state.spent, modelMs: state.spent.modelMs + event.duration_ms },
  };
}
