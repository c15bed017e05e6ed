import { editedArguments } from '../../events/file-changes.ts';
import type { OperatorMessage, RunState } from '../../events/run-state.ts';
import type { Timeline, ToolRow } from '../../events/timeline.ts';

/** A message between agent and operator. */
export interface InboxMessage {
  /** The event that its link leads to. */
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  readonly from: 'agent' | 'operator';
  /** Whether the exploration waits for the reply to it. */
  readonly isAwaited?: boolean;
  /** Of a message of the operator. */
  readonly status?: OperatorMessage['status'];
  /** The policy that wrote it in the operator's place; missing for a person. */
  readonly by?: OperatorMessage['by'];
}

type Talk = Pick<RunState, 'operatorMessages' | 'agentMessages' | 'operatorAsked' | 'awaiting'>;

/**
 * The messages of a run in the order of the talk, with the one that waits for a reply. The log has a reply before the
 * message that it answers: an agent's message is sent together with its result, which contains the reply. Pure.
 */
export function inboxMessages(run: Talk, { rows }: Pick<Timeline, 'rows'>): InboxMessage[] {
  const { operatorMessages, agentMessages, awaiting } = run;
  const calls = new Map(rows.flatMap((row) => (row.kind === 'tool' ? [[row.callId, row] as const] : [])));
  const pending = pendingMessage(run, calls);
  const isAwaited = awaiting?.cause === 'agent_message';
  const placed = [
    ...agentMessages.map((message) => ({ place: message.seq, message: ofAgent(message) })),
    ...(pending
      ? [{ place: pending.seq, message: { ...ofAgent(pending), ...(isAwaited && { isAwaited }) } }]
      : []),
    ...operatorMessages.map((message) => {
      const { deliveredSeq, seq } = message;
      return {
        place: isReply(run, message, calls) ? (deliveredSeq ?? seq) : seq,
        message: ofOperator(message),
      };
    }),
  ];
  return placed.toSorted((a, b) => a.place - b.place).map(({ message }) => message);
}

function ofAgent({ seq, at, text }: Pick<InboxMessage, 'seq' | 'at' | 'text'>): InboxMessage {
  return { seq, at, text, from: 'agent' };
}

function ofOperator({ seq, at, text, status, by }: OperatorMessage): InboxMessage {
  return { seq, at, text, from: 'operator', status, ...(by && { by }) };
}

type Calls = ReadonlyMap<string, ToolRow>;

/** The message of a call that waits for its reply, or that a stop kept from being sent. */
function pendingMessage({ operatorAsked, agentMessages }: Talk, calls: Calls) {
  const row = operatorAsked === undefined ? undefined : calls.get(operatorAsked);
  if (!row || agentMessages.some(({ callId }) => callId === operatorAsked)) return undefined;
  const text = (editedArguments(row)?.arguments ?? row.arguments).message;
  if (typeof text !== 'string') return undefined;
  const { seq, at } = row;
  return { seq, at, text };
}

/** Whether a message was written after the agent's message with whose result it was delivered. */
function isReply(
  { agentMessages }: Talk,
  { seq, by, deliveredSeq = 0 }: OperatorMessage,
  calls: Calls,
): boolean {
  if (by !== undefined) return true;
  const answered = agentMessages.findLast((message) => message.seq < deliveredSeq);
  const asked = answered && calls.get(answered.callId);
  return asked !== undefined && asked.seq < seq;
}
