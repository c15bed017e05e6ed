import type { RunEventType } from '../../events/registry.ts';

const WORDS: Partial<Record<RunEventType, string>> = {
  'run.created': 'Task',
  'reply.parsed': 'Reply',
  'tool-call.ended': 'Result',
  'tool-call.interrupted': 'Result',
  'approval.decided': 'Approval',
  'mcp-request.received': 'Server request',
  'mcp-request.answered': 'Answer',
  'mcp-sampling.ended': 'Sample',
  'mcp-messages.logged': 'Server',
  'model-call.failed': 'Failed call',
  'verification.checked': 'Checks',
  'harness.prompted': 'Loupe',
  'operator.messaged': 'You',
  'agent.messaged': 'Agent',
  'cycle.reflected': 'Reflection',
  'answer.checked': 'Answer checked',
  'policy.nudged': 'Nudge',
  'policy.retried': 'Retry',
  'policy.warned': 'Note',
  'diversity.advised': 'Advice',
  'server-wait.started': 'Server',
  'run.ended': 'End',
};

/** A one-word label for an event type. */
export function eventWord(type: RunEventType): string {
  return WORDS[type] ?? 'Event';
}
