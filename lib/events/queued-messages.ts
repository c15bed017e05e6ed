import type { OperatorMessage, RunState } from './run-state.ts';

/** Operator messages not yet delivered to the model, oldest first. */
export function queuedMessages({ operatorMessages }: Pick<RunState, 'operatorMessages'>): OperatorMessage[] {
  return operatorMessages.filter((message) => message.status === 'queued');
}
