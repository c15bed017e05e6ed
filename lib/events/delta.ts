/**
 * Live updates between events: text as it is generated, command output, queue position. Deltas have no sequence
 * number and are not stored. `offset` is the start of the piece in the text so far (UTF-16 units), so that late
 * viewers can receive the whole text as one delta with offset 0 and repeated pieces have no effect; `since` is when
 * generation of the text started, in milliseconds since 1970.
 */
export type RunDelta =
  | { type: 'text'; call: number; offset: number; text: string; since?: number }
  | { type: 'thinking'; call: number; offset: number; text: string; since?: number }
  | { type: 'tool-output'; call_id: string; offset: number; text: string }
  /** `expected_at`: estimated start time in milliseconds since 1970, if there is enough data. */
  | { type: 'queue'; position: number; ahead: string[]; expected_at?: number }
  /** The next check whether the model server is back, in milliseconds since 1970. */
  | { type: 'server-wait'; next_try_at: number }
  /** Ollama's report on a loading model: its size in memory, and how much of it is on the GPU. */
  | { type: 'load'; size_bytes?: number; vram_bytes?: number };
