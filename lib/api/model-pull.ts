import { z } from 'zod';

/**
 * A name in Ollama's library: `qwen3`, `qwen3:8b`, `someone/model:tag`. Names with a host are refused: a model is
 * fetched by Ollama from its own library, and from nowhere that a page could name.
 */
export const libraryModel = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?:[a-z0-9][\w.-]{0,79}\/)?[a-z0-9][\w.-]{0,79}(?::[a-z0-9_][\w.-]{0,79})?$/i,
    'This is no name in the library of Ollama. They look like qwen3:8b or someone/model:tag.',
  );

/** `POST /api/models/pull`, `/api/models/pull/cancel`, `/api/models/unload` */
export const modelRequest = z.strictObject({ model: z.string().min(1).max(300) });

/** The fetching of one model, as far as Ollama tells. */
export interface ModelPull {
  model: string;
  status: 'pulling' | 'done' | 'failed' | 'cancelled';
  /** Ollama's own words for the step: `pulling manifest`, `verifying sha256 digest`. */
  step: string;
  /** Of the parts that Ollama has begun so far; missing before the first. */
  completed_bytes?: number;
  total_bytes?: number;
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at?: number;
  error?: { code: string; message: string; hint?: string };
}

/** `GET /api/models/pull` */
export interface ModelPullsReply {
  pulls: ModelPull[];
}
