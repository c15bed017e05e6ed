import { z } from 'zod';
import { errorShape } from '../events/envelope.ts';
import { PARSER_LAYERS } from '../parser/layers.ts';
import { distinctModels } from '../util/model-name.ts';
import { CATEGORY_NAMES, type Category } from './benchmark-categories.ts';

/** Models in one benchmark. */
const MAX_BENCHMARK_MODELS = 20;
const DEFAULT_BENCHMARK_WINDOW = 8192;
const DEFAULT_BENCHMARK_REPLY = 1024;

const count = z.number().int().nonnegative();
const layer = z.enum(PARSER_LAYERS);
const category = z.enum(CATEGORY_NAMES);
const folder = z.string().trim().min(1).max(4096);

/** `POST /api/benchmarks`: which cases are put to which models. */
export const benchmarkRequest = z.strictObject({
  /** A folder with the leaderboard's files, or the folder of the Python package `bfcl-eval`. */
  folder,
  models: z
    .array(z.string().trim().min(1).max(200))
    .min(1)
    .max(MAX_BENCHMARK_MODELS)
    .refine((models) => distinctModels(models).length === models.length, 'A model is named twice.'),
  /** Default: all that the folder has. */
  categories: z
    .array(category)
    .min(1)
    .refine((names) => new Set(names).size === names.length, 'A category is named twice.')
    .optional(),
  /** The first cases of each category; missing: all. */
  limit: z.number().int().min(1).max(100_000).optional(),
  window_tokens: z.number().int().min(512).max(1_048_576).default(DEFAULT_BENCHMARK_WINDOW),
  num_predict: z.number().int().min(16).max(65_536).default(DEFAULT_BENCHMARK_REPLY),
  think: z.boolean().default(false),
});
export type BenchmarkRequest = z.infer<typeof benchmarkRequest>;

/** `POST /api/benchmarks/plan`: the categories in a folder, before a benchmark. */
export const benchmarkPlanRequest = z.strictObject({ folder });

export interface BenchmarkPlanReply {
  folder: string;
  categories: { name: z.infer<typeof category>; cases: number }[];
  /** Mean seconds per case with a reply in earlier benchmarks, by the full name of the model. */
  seconds: Record<string, number>;
}

/** The model server's data about a model before its first case. */
const benchmarkedModel = z.object({
  digest: z.string().optional(),
  quantization: z.string().optional(),
  parameter_size: z.string().optional(),
  ollama_version: z.string().optional(),
});

const status = z.enum(['waiting', 'running', 'stopped', 'finished']);
export type BenchmarkStatus = z.infer<typeof status>;

/** A benchmark as stored; its results are separate rows. */
export const benchmarkRecord = z.object({
  id: z.string(),
  status,
  created_at: count,
  updated_at: count,
  folder: z.string(),
  /** A hash of the files that it uses: they must not change until it is finished. */
  files_hash: z.string(),
  models: z.array(z.string()),
  /** With the number of cases of each. */
  categories: z.array(z.object({ name: category, cases: count })),
  window_tokens: count,
  num_predict: count,
  think: z.boolean(),
  /** By model. */
  details: z.record(z.string(), benchmarkedModel),
  /** Why it stopped, if not by a person. */
  problem: errorShape.optional(),
});
export type BenchmarkRecord = z.infer<typeof benchmarkRecord>;

const judgment = z.union([
  z.object({ right: z.literal(true) }),
  z.object({ right: z.literal(false), reason: z.string() }),
]);

/** One case put to one model: a single reply, judged in two readings. */
export const benchmarkResult = z.object({
  /** From 1, in the order of the benchmark. */
  position: count,
  model: z.string(),
  category,
  case_id: z.string(),
  /** The calls in Ollama's `tool_calls`, as any program gets them. Missing where there was no reply. */
  native: judgment.optional(),
  /** The calls as Loupe reads them. Missing where there was no reply. */
  read: judgment.optional(),
  /** How Loupe read them: the layer and format of the first call. */
  layer: layer.optional(),
  format: z.string().optional(),
  /** Why there was no reply. */
  error: errorShape.optional(),
  /** Of the request; of the second one if the first was retried. */
  duration_ms: z.number().nonnegative(),
  prompt_tokens: count.optional(),
  reply_tokens: count.optional(),
});
export type BenchmarkResult = z.infer<typeof benchmarkResult>;

const shownCall = z.object({ name: z.string(), arguments: z.json() });

/** The request, the reply, and how it was parsed. */
export const benchmarkEvidence = z.object({
  request: z.json(),
  reply: z.json().optional(),
  /** Native calls, and the calls that Loupe read. */
  native_calls: z.array(shownCall),
  read_calls: z.array(
    shownCall.extend({ layer, format: z.string(), coerced: z.array(z.string()).optional() }),
  ),
  repairs: z.array(z.object({ rule: z.string(), before: z.string(), after: z.string() })),
  refusals: z.array(z.object({ reason: z.string(), message: z.string() })),
  /** The calls that are right: by function, the possible values of each argument. */
  expected: z.array(z.json()),
});
export type BenchmarkEvidence = z.infer<typeof benchmarkEvidence>;

interface Rate {
  right: number;
  share: number;
  low: number;
  high: number;
}

/** The figures of a model in a category, or in all of them. */
export interface BenchmarkCell {
  model: string;
  /** Missing for all categories together. */
  category?: Category;
  /** Cases with a judged reply, and cases without a reply. */
  judged: number;
  failed: number;
  native?: Rate;
  read?: Rate;
  /** The gain by reading: the difference of both shares with its interval, and the exact McNemar test. */
  gain?: {
    difference: number;
    low: number;
    high: number;
    p: number;
    only_native: number;
    only_read: number;
  };
}

export interface BenchmarkSummary extends BenchmarkRecord {
  total: number;
  done: number;
}

/** `GET /api/benchmarks` */
export interface BenchmarkListReply {
  benchmarks: BenchmarkSummary[];
}

/** `GET /api/benchmarks/{id}` */
export interface BenchmarkReply {
  benchmark: BenchmarkSummary;
  cells: BenchmarkCell[];
  /** Estimated time to the end in seconds, while it runs and there was a reply. */
  seconds_left?: number;
}

/** `GET /api/benchmarks/{id}/cases` */
export interface BenchmarkCasesReply {
  /** How many fit the filter. */
  total: number;
  cases: BenchmarkResult[];
}

/** `GET /api/benchmarks/{id}/cases/{position}` */
export interface BenchmarkCaseReply {
  result: BenchmarkResult;
  evidence: BenchmarkEvidence;
}
