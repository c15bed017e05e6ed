import { z } from 'zod';
import { errorShape } from '../events/envelope.ts';
import { PARSER_LAYERS } from '../parser/layers.ts';

/** The version of the probes. Results of different versions are not comparable. */
export const PROBES_VERSION = 1;

/** `POST /api/models/check`, `/api/models/check/stop` */
export const checkRequest = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(300)
    .regex(/^[\x21-\x7e]+$/, 'A model name must have only printable characters and no spaces.'),
});

/** The query of `GET /api/models/check/result` */
export const checkedModel = checkRequest.extend({
  digest: z
    .string()
    .max(200)
    .regex(/^[\w:.-]*$/)
    .optional(),
});

/** What the probes test. `calls`: well-formed calls; `choice`: the right tool with the right arguments. */
const checkAxis = z.enum(['calls', 'choice', 'results', 'stops']);
export type CheckAxis = z.infer<typeof checkAxis>;

/** `unknown`: not enough evidence. */
const verdict = z.enum(['pass', 'fail', 'unknown']);
export type CheckVerdict = z.infer<typeof verdict>;

/** One rule of a probe, and the result. */
export const checkCriterion = z.object({
  axis: checkAxis,
  verdict,
  rule: z.string(),
  found: z.string(),
});
export type CheckCriterion = z.infer<typeof checkCriterion>;

const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();

const checkCall = z.object({
  name: z.string(),
  arguments: z.json(),
  layer: z.enum(PARSER_LAYERS),
  format: z.string(),
  /** Why the tool would reject the arguments; empty if they are valid. */
  problems: z.array(z.string()),
});

/** One model call of a probe: the request, the raw reply, and how it was parsed. Long texts are truncated and marked. */
const checkExchange = z.object({
  /** The body of `POST /api/chat`. */
  request: z.json(),
  /** The reply message; missing if there was an error. */
  reply: z.json().optional(),
  error: errorShape.extend({ raw: z.string().optional() }).optional(),
  done_reason: z.string().optional(),
  prompt_tokens: count.optional(),
  reply_tokens: count.optional(),
  duration_ms: ms,
  read: z
    .object({
      calls: z.array(checkCall),
      text: z.string(),
      /** Length of the model's thinking in characters. */
      thinking_chars: count,
      repairs: z.array(z.object({ rule: z.string(), before: z.string(), after: z.string() })),
      coercions: z.array(z.object({ path: z.string(), before: z.json(), after: z.json().optional() })),
      refusals: z.array(z.object({ reason: z.string(), raw: z.string(), message: z.string() })),
      malformed: z.boolean(),
      /** Tokens that the model generated but Ollama did not return; missing: none. */
      swallowed_tokens: count.optional(),
      /** Whether the reply limit ended it. */
      cut: z.boolean(),
    })
    .optional(),
});
export type CheckExchange = z.infer<typeof checkExchange>;

const probeResult = z.object({
  id: z.string(),
  title: z.string(),
  /** The prompt of the probe. */
  task: z.string(),
  /** `pass` if all rules pass, `fail` if one fails, otherwise `unknown`. */
  verdict,
  criteria: z.array(checkCriterion),
  exchanges: z.array(checkExchange),
  duration_ms: ms,
});
export type ProbeResult = z.infer<typeof probeResult>;

/** How the model was called, and what the server reported. */
const conditions = z.object({
  ollama_version: z.string().optional(),
  temperature: z.number(),
  seed: z.number(),
  window_tokens: count,
  num_predict: count,
  /** The effective window, as reported by `/api/ps`. */
  context_tokens: count.optional(),
  size_bytes: count.optional(),
  vram_bytes: count.optional(),
  /** Load duration; missing if no load was needed. */
  load_ms: ms.optional(),
  /** Whether it was already loaded with this window. Missing in older checks. */
  already_loaded: z.boolean().optional(),
  /** The host to which Ollama forwards requests for this model. */
  remote_host: z.string().optional(),
  /** Missing if the server does not report them. */
  capabilities: z.array(z.string()).optional(),
});

const measured = z.object({
  replies: count,
  calls: count,
  layers: z.object({ native: count, json: count, xml: count }),
  /** Calls by format. */
  formats: z.record(z.string(), count),
  repaired: count,
  coerced: count,
  refused: count,
  malformed: count,
  /** Tokens of the replies for which Ollama reported a duration, and that duration. */
  timed_tokens: count,
  eval_ms: ms,
  /** Replies with thinking, and its length in characters: Ollama does not count thinking tokens. */
  thinking_replies: count,
  thinking_chars: count,
});
export type CheckMeasured = z.infer<typeof measured>;

/** A complete check, as stored: one per model and digest. */
export const modelCheck = z.object({
  model: z.string(),
  /** The digest of the checked model; empty if the server reported none. */
  digest: z.string(),
  probes_version: count,
  started_at: count,
  ended_at: count,
  conditions,
  measured,
  probes: z.array(probeResult),
});
export type ModelCheck = z.infer<typeof modelCheck>;

/** How many rules of an axis passed, of those that were judged. */
const axisScore = z.object({ passed: count, judged: count, unknown: count });
export type AxisScore = z.infer<typeof axisScore>;

/** The summary of a check, for badges and lists. */
export const checkSummary = modelCheck
  .pick({ model: true, digest: true, probes_version: true, started_at: true, ended_at: true })
  .extend({
    passed: count,
    failed: count,
    unknown: count,
    calls: measured.shape.calls,
    layers: measured.shape.layers,
    axes: z.object({ calls: axisScore, choice: axisScore, results: axisScore, stops: axisScore }),
    /** Missing in older checks. */
    timed_tokens: measured.shape.timed_tokens.optional(),
    eval_ms: measured.shape.eval_ms.optional(),
  });
export type CheckSummary = z.infer<typeof checkSummary>;

/** The check of an installed model; `outdated` is set if it does not apply to this version. */
export interface InstalledCheck extends CheckSummary {
  /** `model`: a different version of the model was checked; `probes`: different probes were used. */
  outdated?: 'model' | 'probes';
}

/** The progress of a check of a model or of tools. */
export type CheckStatus = 'waiting' | 'loading' | 'probing' | 'done' | 'failed' | 'stopped';

/** The current check, or the last one of this server process. */
export interface CheckProgress {
  model: string;
  status: CheckStatus;
  /** Position in the model server's queue, from 1, while waiting. */
  position?: number;
  started_at: number;
  ended_at?: number;
  probes: { id: string; title: string; status: 'open' | 'running' | CheckVerdict; duration_ms?: number }[];
  error?: z.infer<typeof errorShape>;
}

/** `GET /api/models/check` */
export interface CheckProgressReply {
  check?: CheckProgress;
}

/** `GET /api/models/check/history` */
export interface CheckHistoryReply {
  /** Finished checks of all models, oldest first. */
  checks: CheckSummary[];
}

/** `GET /api/models/check/result` */
export interface CheckReply {
  check: ModelCheck;
  summary: CheckSummary;
}
