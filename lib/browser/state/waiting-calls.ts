import type { TimelineRow, ToolRow } from '../../events/timeline.ts';
import type { ChatItem } from './chat-items.ts';

/** Calls that wait for the operator. */
export interface WaitingCalls {
  /** In the order of the reply that they are from. */
  readonly calls: readonly ToolRow[];
  /** The row of that reply; a person's entries about its calls do not apply to another reply's. */
  readonly reply: string | undefined;
  /** The call whose MCP server asks something. */
  readonly asking: ToolRow | undefined;
}

export const NOTHING_WAITS: WaitingCalls = { calls: [], reply: undefined, asking: undefined };

/** The calls of the last reply that wait, which are among the last rows. Pure. */
export function waitingCalls(rows: readonly TimelineRow[]): WaitingCalls {
  const calls: ToolRow[] = [];
  let asking: ToolRow | undefined;
  let index = rows.length - 1;
  for (; index >= 0 && rows[index]?.kind !== 'call'; index -= 1) {
    const row = rows[index];
    if (row?.kind !== 'tool') continue;
    if (row.status === 'awaiting approval') calls.unshift(row);
    if (row.status === 'awaiting answer') asking ??= row;
  }
  return { calls, reply: rows[index]?.key, asking };
}

/** Which items have a form in which a person may have entered something, by their indexes. Pure. */
export function waitingItems(items: readonly ChatItem[]): readonly number[] {
  return items.flatMap((item, index) =>
    item.kind === 'tool' && (item.status === 'awaiting approval' || item.status === 'awaiting answer')
      ? [index]
      : [],
  );
}
