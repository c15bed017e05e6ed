import { queuedMessages } from '../events/queued-messages.ts';
import type { NewEvent } from '../events/registry.ts';
import type { PendingCall, RunState } from '../events/run-state.ts';
import type { ToolFact, ToolRun } from '../tools/tool.ts';
import { assertNever } from '../util/assert-never.ts';

/** A tool's view of its run. Recorded facts are collected in `facts` and appended atomically with the tool's result. */
export function toolRun(state: RunState, facts: ToolFact[]): ToolRun {
  return {
    memory: state.memory,
    queued: queuedMessages(state),
    record: (fact) => facts.push(fact),
  };
}

/** Converts a fact to its event. */
export function factEvent(fact: ToolFact, call: PendingCall, state: RunState): NewEvent {
  const place = { call_id: call.callId, cycle: state.cycle.number };
  switch (fact.kind) {
    case 'memory-written':
      return { type: 'memory.changed', ...place, operation: 'write', key: fact.key, value: fact.value };
    case 'memory-deleted':
      return { type: 'memory.changed', ...place, operation: 'delete', key: fact.key };
    case 'said-to-operator':
      return { type: 'agent.messaged', ...place, text: fact.text };
    case 'messages-read':
      return {
        type: 'operator.delivered',
        message_ids: [...fact.ids],
        as: 'tool-result',
        call_id: call.callId,
      };
    case 'server-messages':
      return {
        type: 'mcp-messages.logged',
        call_id: call.callId,
        server: fact.server,
        lines: [...fact.lines],
        ...(fact.leftOut > 0 && { left_out: fact.leftOut }),
      };
    default:
      return assertNever(fact);
  }
}
