/**
 * How the loop returned: the run `ended`; it is `waiting` for a message; it was `suspended` for a shutdown; it was `superseded` by another worker; or
 * its log is `broken` and could not even take the error.
 */
export interface RunLoopOutcome {
  outcome: 'ended' | 'waiting' | 'suspended' | 'superseded' | 'broken';
  /** What went wrong, when something did. */
  error?: unknown;
}
