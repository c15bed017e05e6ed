/**
 * What a run is doing. The dashboard times each phase separately.
 *
 * - `queued`: created, or waiting for a slot at the model server
 * - `starting`: a worker has it and checks server and model
 * - `loading`: the model is being loaded
 * - `between`: between iterations, where stops, budgets and limits are checked
 * - `calling`: a request is open
 * - `deciding`: a reply was parsed and the policies decide next
 * - `awaiting-approval`: a call waits for the operator
 * - `executing`: the calls of the reply are running
 * - `verifying`: the attempt has ended and its work is being checked
 * - `ended`
 */
export type RunPhase =
  | 'queued'
  | 'starting'
  | 'loading'
  | 'between'
  | 'calling'
  | 'deciding'
  | 'awaiting-approval'
  | 'executing'
  | 'verifying'
  | 'ended';
