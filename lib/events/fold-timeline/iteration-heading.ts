import { hasFailed } from '../has-failed.ts';
import type { IterationRow, ShownEvent, Timeline, ToolRow } from '../timeline.ts';
import { addUsage } from '../token-usage.ts';

/** The events with which a wait can begin or end. */
const WAIT_EVENTS: ReadonlySet<ShownEvent['type']> = new Set([
  'approval.requested',
  'approval.decided',
  'tool-call.started',
  'tool-call.ended',
  'tool-call.interrupted',
  'mcp-request.received',
  'mcp-request.answered',
  'server-wait.started',
  'server-wait.ended',
]);

type Rows = Pick<Timeline, 'open' | 'rows'>;

/** The heading of an iteration after an event. @param after the rows that show the event */
export function headingAfter(row: IterationRow, event: ShownEvent, after: Rows): IterationRow {
  const moved = { ...withWait(row, event, after), until: event.at };
  switch (event.type) {
    case 'model-call.started':
      return { ...moved, modelCalls: row.modelCalls + 1 };
    case 'model-call.ended':
    case 'model-call.failed':
    case 'mcp-sampling.ended':
      return { ...moved, ...addUsage(row, event) };
    case 'mcp-sampling.started':
      return { ...moved, waitedMs: moved.waitedMs + (event.waited_ms ?? 0) };
    case 'tool-call.started':
      return { ...moved, toolCalls: row.toolCalls + 1 };
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return hasFailed(event.result) ? { ...moved, failedToolCalls: row.failedToolCalls + 1 } : moved;
    default:
      return moved;
  }
}

/**
 * The wait for the operator's approval begins and ends with the next call of the reply: later ones may be decided first.
 * A wait for the model server has its own events.
 */
function withWait(row: IterationRow, { type, at }: ShownEvent, { open, rows }: Rows): IterationRow {
  if (!WAIT_EVENTS.has(type)) return row;
  const indexes = Object.values(open.tools).sort((a, b) => a - b);
  const next = indexes.map((index) => rows[index]).find((each) => each?.kind === 'tool' && isPending(each));
  const waits =
    type === 'server-wait.started' ||
    (next?.kind === 'tool' && (next.status === 'awaiting approval' || next.status === 'awaiting answer'));
  if (waits) return { ...row, waitingSince: row.waitingSince ?? at };
  const { waitingSince = at, waitedMs } = row;
  return { ...row, waitedMs: waitedMs + at - waitingSince, waitingSince: undefined };
}

function isPending({ status }: ToolRow): boolean {
  return ['waiting', 'awaiting approval', 'approved', 'running', 'awaiting answer'].includes(status);
}

/** How long an iteration has taken up to its last event, in milliseconds, without its waits. */
export function iterationMs({ at, until, waitedMs, waitingSince = until }: IterationRow): number {
  return Math.max(0, waitingSince - at - waitedMs);
}
