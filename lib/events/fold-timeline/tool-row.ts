import type { AskedByServer, ShownEvent, ToolRow } from '../timeline.ts';

/** An event of a call that has a row. */
export type ToolEvent = Extract<
  ShownEvent,
  { call_id: string; type: `approval.${string}` | `tool-call.${string}` | `mcp-${string}` }
>;

/** The row of a tool call after one of its events. */
export function afterToolEvent(row: ToolRow, event: ToolEvent): ToolRow {
  switch (event.type) {
    case 'approval.requested':
      return {
        ...row,
        status: 'awaiting approval',
        requested: { seq: event.seq, at: event.at, scopes: event.scopes ?? ['once'] },
        ...(event.file && { file: { ...event.file, seq: event.seq, cuts: event.cuts ?? [] } }),
      };
    case 'approval.decided':
      return {
        ...row,
        status: event.decision === 'denied' ? 'denied' : 'approved',
        decided: event,
        decidedCuts: event.cuts ?? [],
        file: undefined,
      };
    case 'tool-call.started':
      return {
        ...row,
        status: 'running',
        startedAt: event.at,
        ...(event.file && { file: { ...event.file, seq: event.seq, cuts: event.cuts ?? [] } }),
      };
    case 'mcp-request.received':
      return {
        ...row,
        status: 'awaiting answer',
        asked: [...(row.asked ?? []), { received: event }],
      };
    case 'mcp-request.answered':
      return {
        ...row,
        status: 'running',
        asked: withAsked(row.asked, event.request_id, { answered: event }),
      };
    case 'mcp-sampling.started':
      return {
        ...row,
        asked: withAsked(row.asked, event.request_id, { samplingStarted: event }),
      };
    case 'mcp-sampling.ended':
      return {
        ...row,
        asked: withAsked(row.asked, event.request_id, { sampled: event }),
      };
    case 'mcp-messages.logged':
      return { ...row, messages: event };
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return {
        ...row,
        status:
          event.type === 'tool-call.interrupted'
            ? 'interrupted'
            : row.decided?.decision === 'denied'
              ? 'denied'
              : event.result.success
                ? 'succeeded'
                : 'failed',
        result: event.result,
        resultSeq: event.seq,
        resultCuts: event.cuts ?? [],
        ...(event.type === 'tool-call.ended' && event.images && { images: event.images }),
        durationMs: event.type === 'tool-call.ended' ? event.duration_ms : undefined,
      };
  }
}

function withAsked(
  asked: readonly AskedByServer[] | undefined,
  requestId: string,
  more: Partial<AskedByServer>,
): readonly AskedByServer[] {
  return (asked ?? []).map((each) => (each.received.request_id === requestId ? { ...each, ...more } : each));
}
