import { z } from 'zod';

/**
 * A name in Ollama's library: `qwen3`, `qwen3:8b`, `someone/model:tag`. Names with a host are rejected, so that Ollama
 * only pulls from its own library and never from a host chosen by a web page.
 */
export const libraryModel = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?:[a-z0-9][\w.-]{0,79}\/)?[a-z0-9][\w.-]{0,79}(?::[a-z0-9_][\w.-]{0,79})?$/i,
    "This is not a model name in Ollama's library. Names look like qwen3:8b or someone/model:tag.",
  );

/** `POST /api/models/pull`, `/api/models/pull/cancel`, `/api/models/unload` */
export const modelRequest = z.strictObject({ model: z.string().min(1).max(300) });

/** The progress of a pull, as reported by Ollama. */
export interface ModelPull {
  model: string;
  status: 'pulling' | 'done' | 'failed' | 'cancelled';
  /** The step as Ollama names it: `pulling manifest`, `verifying sha256 digest`. */
  step: string;
  /** Of the layers that Ollama has started; missing before the first. */
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
