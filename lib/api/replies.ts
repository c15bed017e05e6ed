import type { RunConfig } from '../events/config.ts';
import type { RunDelta } from '../events/delta.ts';
import type { RunEvent } from '../events/registry.ts';
import type { InstalledCheck } from './model-check.ts';
import type { ModelReading } from './model-reading.ts';
import type { RunSummary } from './run-summary.ts';

/** Every error body: what happened and what to do next. */
export interface ErrorReply {
  error: { code: string; message: string; hint?: string };
}

export interface RunListReply {
  runs: RunSummary[];
  /** Pass as `?before=` for the next page; missing on the last. */
  next?: string;
}

export interface RunReply {
  run: RunSummary;
  config: RunConfig;
}

/** A message of the operator, as it stands (`POST /api/runs/{id}/messages`). */
export interface MessageReply {
  run: RunSummary;
  message: { id: string; text: string; status: 'queued' | 'delivered' | 'returned' };
}

/**
 * An event as viewers get it. Texts over 64 KB are cut; `cuts` lists where (a dotted path) and how long the whole is.
 * `GET /api/runs/{id}/events/{seq}` brings it whole.
 */
export type ViewEvent = RunEvent & { cuts?: { path: string; chars: number }[] };

/** A delta on the wire: `event: delta`, without id. */
export type ViewDelta = RunDelta & { run_id: string };

/** A run that is no longer there, on the wire: `event: run-deleted`, without id. */
export interface RunDeleted {
  run_id: string;
}

export interface InstalledModel {
  name: string;
  size_bytes?: number;
  family?: string;
  parameter_size?: string;
  quantization?: string;
  capabilities?: string[];
  max_context_tokens?: number;
  /** In memory now, with the window it was loaded with. */
  loaded?: { context_tokens?: number; size_bytes?: number; vram_bytes?: number; expires_at?: number };
  /** A model of the built-in demonstration, not a language model. */
  demo: boolean;
  modified_at?: string;
  digest?: string;
  /** How its replies were read, over all runs; missing before the first reply (P17). */
  reading?: ModelReading;
  /** What a check of it brought; missing before the first. */
  check?: InstalledCheck;
}

export interface ModelsReply {
  models: InstalledModel[];
}

export interface HealthReply {
  status: 'ok' | 'degraded' | 'down';
  version: string;
  ollama: {
    ok: boolean;
    url: string;
    version?: string;
    error?: { code: string; message: string; hint?: string };
  };
  /** Set when `?model=` was asked for. */
  model?: {
    ok: boolean;
    name: string;
    capabilities?: string[];
    error?: { code: string; message: string; hint?: string };
  };
  /** The demonstration models, offered when no Ollama answers. */
  demo: { available: boolean; models: string[] };
  sandbox: {
    available: boolean;
    kind: string;
    /** Commands run without confinement, each after a person approved it (LOUPE_UNCONFINED). */
    unconfined: boolean;
    reason?: string;
    hint?: string;
    protections: { name: string; holds: boolean; detail?: string }[];
  };
  store: { ok: boolean; kind: string; path?: string; free_bytes?: number };
  runs: { active: number; queued: number };
}

export interface ApprovalReply {
  run: RunSummary;
}

export interface StopReply {
  run: RunSummary;
}

export interface SessionReply {
  program: 'loupe';
  signed_in: boolean;
}

export interface SessionLinkReply {
  /** Good once, for an hour. */
  url: string;
}
