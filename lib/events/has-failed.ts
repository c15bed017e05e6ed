import type { EventOf } from './registry.ts';

/** Whether a call failed. One that a person or a rule denied has not: it never ran. */
export function hasFailed(result: EventOf<'tool-call.ended'>['result']): boolean {
  return !(result.success || result.output.denied === true);
}
