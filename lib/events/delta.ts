/**
 * What a viewer sees between two events: text as it is written, output as it comes, the place in the queue. Deltas
 * have no sequence number and are not stored. `offset` is where the piece begins in the text so far (UTF-16 units), so
 * that a viewer who joins late gets the whole text as one delta with offset 0, and a repeated piece changes nothing.
 */
export type RunDelta =
  | { type: 'text'; call: number; offset: number; text: string }
  | { type: 'thinking'; call: number; offset: number; text: string }
  | { type: 'tool-output'; call_id: string; offset: number; text: string }
  | { type: 'queue'; position: number; ahead: string[] };
