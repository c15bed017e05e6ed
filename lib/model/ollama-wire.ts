import { z } from 'zod';
import type { JsonValue } from '../util/json.ts';

/** A count on the wire: a non-negative integer; anything else (NaN, text, negative, missing) is unknown (K-38). */
const count = z.int().nonnegative().optional().catch(undefined);

const optionalText = z.string().min(1).optional().catch(undefined);

/** Some servers with Ollama's API give all their models the same digest of zeros, which identifies none. */
const digest = z
  .string()
  .regex(/^(?!(sha256:)?0*$)/)
  .optional()
  .catch(undefined);

/** Comes from `JSON.parse`, so it is JSON; the parser checks its shape. */
const anyJson = z.custom<JsonValue>();

/** The message of a reply or of a piece of one. `null` counts as absent; a wrong type is an error. */
const wireMessage = z.object({
  role: z.string().nullish(),
  content: z.string().nullish(),
  thinking: z.string().nullish(),
  tool_calls: z.array(anyJson).nullish(),
});

/** A whole reply of `/api/chat`, or one line of a streamed one. Durations in nanoseconds. */
export const chatChunk = z.object({
  remote_host: optionalText,
  message: wireMessage.nullish(),
  done: z.boolean().nullish(),
  done_reason: optionalText,
  total_duration: count,
  load_duration: count,
  prompt_eval_count: count,
  prompt_eval_cached_count: count,
  prompt_eval_duration: count,
  eval_count: count,
  eval_duration: count,
});
export type ChatChunk = z.infer<typeof chatChunk>;

const modelDetails = z
  .object({
    format: optionalText,
    family: optionalText,
    parameter_size: optionalText,
    quantization_level: optionalText,
  })
  .nullish()
  .catch(undefined);

/** Where a remote model runs. */
const remote = { remote_host: optionalText, remote_model: optionalText };

/** `/api/tags` */
export const tagsReply = z.object({
  models: z
    .array(
      z.object({
        name: z.string(),
        digest,
        size: count,
        modified_at: optionalText,
        details: modelDetails,
        ...remote,
        capabilities: z.array(z.string()).optional().catch(undefined),
      }),
    )
    .nullish(),
});

/** `/api/ps` */
export const psReply = z.object({
  models: z
    .array(
      z.object({
        name: z.string(),
        digest,
        size: count,
        size_vram: count,
        context_length: count,
        expires_at: optionalText,
        details: modelDetails,
      }),
    )
    .nullish(),
});

/** `/api/show` */
export const showReply = z.object({
  capabilities: z.array(z.string()).optional().catch(undefined),
  details: modelDetails,
  modelfile: optionalText,
  template: optionalText,
  ...remote,
  model_info: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});

/** `/api/embed` */
export const embedReply = z.object({ embeddings: z.array(z.array(z.number())) });

/** `/api/version` */
export const versionReply = z.object({ version: optionalText });

/** `/api/chat` with `_debug_render_only`: the prompt instead of a reply (OL5). */
export const renderReply = z.object({ _debug_info: z.object({ rendered_template: z.string() }) });

/** A line of `/api/pull` */
export const pullLine = z.object({
  status: z.string().catch(''),
  digest: optionalText,
  total: count,
  completed: count,
});
