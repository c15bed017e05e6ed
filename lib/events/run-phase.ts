/**
 * What a run is doing. The dashboard times each phase separately.
 *
 * - `queued`: created, or waiting for a slot at the model server
 * - `starting`: a worker has it and checks server and model
 * - `loading`: the model is being loaded
 * - `between`: between iterations, where stops, budgets and limits are checked
 * - `calling`: a request is open
 * - `deciding`: a reply was parsed and the policies decide next
 * - `awaiting-server`: the model server is down, and the run waits for it
 * - `awaiting-approval`: a call waits for the operator: for an approval, or for an answer to what its MCP server asks
 * - `awaiting-message`: a session or an exploration waits for the operator; no worker holds it
 * - `executing`: the calls of the reply are running
 * - `verifying`: the attempt has ended and its work is being checked
 * - `ended`
 */
export const RUN_PHASES = [
  'queued',
  'starting',
  'loading',
  'between',
  'calling',
  'deciding',
  'awaiting-server',
  'awaiting-approval',
  'awaiting-message',
  'executing',
  'verifying',
  'ended',
] as const;
export type RunPhase = (typeof RUN_PHASES)[number];

/** The phases in which a run waits for the operator, and nothing happens until they act. */
export const OPERATOR_PHASES = ['awaiting-approval', 'awaiting-message'] as const satisfies RunPhase[];

/** Whether a run waits for the operator. */
export function awaitsOperator(phase: RunPhase): boolean {
  return OPERATOR_PHASES.some((each) => each === phase);
}

/** Whether a run waits for the operator or the model server, which does not count as working time. */
export function isWaiting(phase: RunPhase): boolean {
  return awaitsOperator(phase) || phase === 'awaiting-server';
}

/** Phases in which a run waits for the operator or runs tools, and needs no slot at its model server. */
export const PHASES_WITHOUT_MODEL: readonly RunPhase[] = [...OPERATOR_PHASES, 'executing', 'verifying'];

/** The phase between steps: of the preparation before the first attempt, of an iteration after it. */
export function phaseBetweenSteps({ attempt }: { readonly attempt: number }): RunPhase {
  return attempt === 0 ? 'starting' : 'between';
}
