import { z } from 'zod';
import { errorShape } from '../events/envelope.ts';

/** The probes of this version. A result of other probes cannot be compared with one of these, and says so. */
export const PROBES_VERSION = 1;

/** `POST /api/models/check`, `/api/models/check/stop` */
export const checkRequest = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(300)
    .regex(/^[\x21-\x7e]+$/, 'Names of models have printable characters without blanks.'),
});

/** The query of `GET /api/models/check/result` */
export const checkedModel = checkRequest.extend({
  digest: z
    .string()
    .max(200)
    .regex(/^[\w:.-]*$/)
    .optional(),
});

/** What the probes look at. `calls`: well formed; `choice`: the right tool with the right arguments. */
export const checkAxis = z.enum(['calls', 'choice', 'results', 'stops']);
export type CheckAxis = z.infer<typeof checkAxis>;

/** `unknown`: not enough to say. */
const verdict = z.enum(['pass', 'fail', 'unknown']);
export type CheckVerdict = z.infer<typeof verdict>;

/** One rule that a probe was judged by, and what was found. */
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
  layer: z.enum(['native', 'json', 'xml']),
  format: z.string(),
  /** Why the tool would refuse them; none when they fit. */
  problems: z.array(z.string()),
});

/** One model call of a probe: the request, the reply as it came, and how it was read. Long texts are cut, and say so. */
export const checkExchange = z.object({
  /** The body of `POST /api/chat`. */
  request: z.json(),
  /** The message of the reply; missing when there was an error in its place. */
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
      /** Characters that the model thought. */
      thinking_chars: count,
      repairs: z.array(z.object({ rule: z.string(), before: z.string(), after: z.string() })),
      coercions: z.array(z.object({ path: z.string(), before: z.json(), after: z.json().optional() })),
      refusals: z.array(z.object({ reason: z.string(), raw: z.string(), message: z.string() })),
      malformed: z.boolean(),
      /** The reply limit ended it. */
      cut: z.boolean(),
    })
    .optional(),
});
export type CheckExchange = z.infer<typeof checkExchange>;

export const probeResult = z.object({
  id: z.string(),
  title: z.string(),
  /** What was asked. */
  task: z.string(),
  /** All rules hold; one does not; or none is broken, and one could not be judged. */
  verdict,
  criteria: z.array(checkCriterion),
  exchanges: z.array(checkExchange),
  duration_ms: ms,
});
export type ProbeResult = z.infer<typeof probeResult>;

/** How a model was asked, and what the server said of it. */
const conditions = z.object({
  ollama_version: z.string().optional(),
  temperature: z.number(),
  seed: z.number(),
  window_tokens: count,
  num_predict: count,
  /** The window in effect, as `/api/ps` tells it. */
  context_tokens: count.optional(),
  size_bytes: count.optional(),
  vram_bytes: count.optional(),
  /** Missing when the model was in memory already, as asked. */
  load_ms: ms.optional(),
  /** Missing on servers that do not tell. */
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
  /** Tokens of the replies whose time Ollama told, and that time. */
  timed_tokens: count,
  eval_ms: ms,
  /** Replies with thoughts, and their characters: Ollama counts no tokens of them. */
  thinking_replies: count,
  thinking_chars: count,
});
export type CheckMeasured = z.infer<typeof measured>;

/** A whole check, as it is stored: one per model and digest. */
export const modelCheck = z.object({
  model: z.string(),
  /** Of the model that was checked; empty where the server told none. */
  digest: z.string(),
  probes_version: count,
  started_at: count,
  ended_at: count,
  conditions,
  measured,
  probes: z.array(probeResult),
});
export type ModelCheck = z.infer<typeof modelCheck>;

/** How many rules of an axis hold, of those that could be judged. */
export const axisScore = z.object({ passed: count, judged: count, unknown: count });
export type AxisScore = z.infer<typeof axisScore>;

/** A check in a few figures: what a badge and a list show. */
export const checkSummary = modelCheck
  .pick({ model: true, digest: true, probes_version: true, started_at: true, ended_at: true })
  .extend({
    passed: count,
    failed: count,
    unknown: count,
    calls: measured.shape.calls,
    layers: measured.shape.layers,
    axes: z.object({ calls: axisScore, choice: axisScore, results: axisScore, stops: axisScore }),
  });
export type CheckSummary = z.infer<typeof checkSummary>;

/** The check that a model of the list has: of this version of it, unless `outdated` says otherwise. */
export interface InstalledCheck extends CheckSummary {
  /** `model`: another version of the model was checked; `probes`: other probes were asked. */
  outdated?: 'model' | 'probes';
}

/** A check that is under way, or the last one that ended in this server. */
export interface CheckProgress {
  model: string;
  status: 'waiting' | 'loading' | 'probing' | 'done' | 'failed' | 'stopped';
  /** Place in the line before the model server, from 1, while it waits. */
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

/** `GET /api/models/check/result` */
export interface CheckReply {
  check: ModelCheck;
  summary: CheckSummary;
}
