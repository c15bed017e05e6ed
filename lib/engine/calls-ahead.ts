import type { PendingCall, PendingReply } from '../events/run-state.ts';
import { approvalChoice } from '../policies/approval.ts';
import { surplusCall } from '../policies/calls-per-reply.ts';
import type { ReadyState } from '../policies/rule.ts';
import type { ToolResult } from '../tools/tool.ts';

/** Max concurrent calls of one reply. */
export const MAX_CONCURRENT_CALLS = 4;

/** A call in progress, or its outcome. */
export interface BegunCall {
  result: Promise<ToolResult>;
  /** Duration in milliseconds; known once there is a result. */
  durationMs(): number;
}

/**
 * Calls of a reply that run at the same time as the ones before them. The log records them one after another, as if
 * they had waited for their turn. A run that is interrupted meanwhile starts them again, which is harmless, because
 * only calls that change nothing run ahead.
 */
export class CallsAhead {
  readonly #begun = new Map<string, BegunCall>();

  /** @param begin starts the call; not called if the call has already started */
  begin(callId: string, begin: () => Promise<ToolResult>): void {
    if (!this.#begun.has(callId)) this.#begun.set(callId, begunCall(begin));
  }

  /** A call whose turn has come: already in progress, or started now. */
  take(callId: string, begin: () => Promise<ToolResult>): BegunCall {
    const ahead = this.#begun.get(callId);
    this.#begun.delete(callId);
    return ahead ?? begunCall(begin);
  }
}

function begunCall(begin: () => Promise<ToolResult>): BegunCall {
  const startedAt = performance.now();
  let endedAt: number | undefined;
  const result = begin().finally(() => {
    endedAt = performance.now();
  });
  // A call whose turn never comes, because the run ended, must not become an unhandled rejection.
  result.catch(() => {});
  return { result, durationMs: () => (endedAt ?? performance.now()) - startedAt };
}

/**
 * The calls that may run at the same time as one whose turn has come: the next ones of the reply, up to the first that is
 * not independent or would not run without a decision. Pure.
 *
 * @param isIndependent whether calls of a tool neither change anything nor depend on what earlier calls changed in the run
 */
export function callsBeside(
  { reply, approvals, config }: Pick<ReadyState, 'approvals' | 'config'> & { reply?: PendingReply },
  call: PendingCall,
  isIndependent: (tool: string) => boolean,
): PendingCall[] {
  if (!reply || !isIndependent(call.name)) return [];
  const at = reply.calls.findIndex(({ callId }) => callId === call.callId);
  const next = reply.calls.slice(at + 1, at + MAX_CONCURRENT_CALLS);
  const runsAlone = (other: PendingCall) =>
    other.status !== 'waiting' ||
    !isIndependent(other.name) ||
    approvals[other.callId] !== undefined ||
    approvalChoice(config.approval, other.name) !== 'auto' ||
    surplusCall(reply, other) !== undefined;
  const end = next.findIndex(runsAlone);
  return end < 0 ? next : next.slice(0, end);
}
