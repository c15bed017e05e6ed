/**
 * What a viewer sees between two events: text as it is written, output as it comes, the place in the queue. Deltas
 * have no sequence number and are not stored. `offset` is where the piece begins in the text so far (UTF-16 units), so
 * that a viewer who joins late gets the whole text as one delta with offset 0, and a repeated piece changes nothing;
 * `since` is when the model began with it, in milliseconds since 1970.
 */
export type RunDelta =
  | { type: 'text'; call: number; offset: number; text: string; since?: number }
  | { type: 'thinking'; call: number; offset: number; text: string; since?: number }
  | { type: 'tool-output'; call_id: string; offset: number; text: string }
  /** `expected_at`: when it may be the run's turn, in milliseconds since 1970: an estimate, where there is enough to go by. */
  | { type: 'queue'; position: number; ahead: string[]; expected_at?: number }
  /** What Ollama says of a model that it is loading: its size in memory, and how much of it goes to the GPU. */
  | { type: 'load'; size_bytes?: number; vram_bytes?: number };
