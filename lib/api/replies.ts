import type { ModelPrice, RunConfig } from '../events/config.ts';
import type { InstalledCheck } from './model-check.ts';
import type { ModelReading } from './model-reading.ts';
import type { RunFamily } from './run-family.ts';
import type { RunSummary } from './run-summary.ts';

export interface RunListReply {
  runs: RunSummary[];
  /** With `group=family`: the families of these runs that have more than one run, or are experiments, by their IDs. */
  families?: Record<string, RunFamily>;
  /** Pass as `?before=` for the next page; missing on the last page. */
  next?: string;
}

/** Reply to `PATCH /api/runs/{id}`. */
export interface AnnotatedReply {
  run: RunSummary;
}

/** Reply to `POST /api/selection/delete`. */
export interface DeletedReply {
  deleted: string[];
  /** Until when `POST /api/selection/restore` can restore them, in milliseconds since 1970. */
  undo_until: number;
}

export interface RunReply {
  run: RunSummary;
  config: RunConfig;
}

/** A message from the operator with its current status (`POST /api/runs/{id}/messages`). */
export interface MessageReply {
  run: RunSummary;
  message: { id: string; text: string; status: 'queued' | 'delivered' | 'returned' };
}

export interface InstalledModel {
  name: string;
  size_bytes?: number;
  family?: string;
  parameter_size?: string;
  quantization?: string;
  capabilities?: string[];
  max_context_tokens?: number;
  /**
   * Whether it is loaded now; `unknown` if Ollama has a runner loaded but does not report whether this model shares it.
   * Missing for demo models.
   */
  memory?: 'loaded' | 'not_loaded' | 'unknown';
  /** The loaded instance, with its window. */
  loaded?: {
    context_tokens?: number;
    size_bytes?: number;
    vram_bytes?: number;
    expires_at?: number;
    /** The model that loaded the runner, if different: copies, and models created `FROM` another, share it. */
    loaded_as?: string;
  };
  /** Set if Ollama forwards it to another machine. Runs with it are refused unless `allowed`. */
  remote?: { host: string; model?: string; allowed: boolean };
  /** A built-in demo model, not a language model. */
  demo: boolean;
  modified_at?: string;
  digest?: string;
  /** How its replies were parsed, across all runs; missing before the first reply (P17). */
  reading?: ModelReading;
  /** The result of its check; missing before the first. */
  check?: InstalledCheck;
  /** Its price, if set. */
  price?: ModelPrice;
}

export interface ModelsReply {
  models: InstalledModel[];
  /** `unknown`: Ollama did not answer in time; the list is from its last answer. */
  ollama: 'ok' | 'down' | 'unknown';
  /** Set if the list is incomplete: the server has too many models, or took too long to return their details. */
  partial?: { not_listed: number; without_details: number };
}

export interface HealthReply {
  status: 'ok' | 'degraded' | 'unknown' | 'down';
  version: string;
  /** The hash of the sources that the dashboard was built from; missing if the build has none. */
  build?: string;
  ollama: {
    ok: boolean;
    /** Set while there is no answer yet, so `ok` is not known. */
    unknown?: true;
    url: string;
    version?: string;
    error?: { code: string; message: string; hint?: string };
  };
  /** Set if `?model=` was given. */
  model?: {
    ok: boolean;
    unknown?: true;
    name: string;
    capabilities?: string[];
    error?: { code: string; message: string; hint?: string };
  };
  /** The demo models, offered while Ollama is unreachable. */
  demo: { available: boolean; models: string[] };
  sandbox: {
    available: boolean;
    kind: string;
    /** Commands run without a sandbox, each after a person has approved it (LOUPE_UNCONFINED). */
    unconfined: boolean;
    /** Whether checks that are commands can run: as they need no approval, they run only in a sandbox. */
    command_checks: boolean;
    reason?: string;
    hint?: string;
    protections: { name: string; holds: boolean; detail?: string }[];
  };
  store: {
    ok: boolean;
    kind: string;
    path?: string;
    free_bytes?: number;
    /** Set while the store accepts no writes. If its disk is full, runs can still be deleted. */
    read_only?: { message: string; hint?: string; disk_full: boolean };
  };
  runs: { active: number; queued: number };
}

export interface ApprovalReply {
  run: RunSummary;
}

/** `POST /api/runs/{id}/mcp-requests` */
export interface McpRequestReply {
  run: RunSummary;
}

export interface StopReply {
  run: RunSummary;
}

export interface SessionReply {
  program: 'loupe';
  signed_in: boolean;
}

/** Reply to a browser that signed in. */
export interface SignedInReply extends SessionReply {
  /** Sent as `x-loupe-key`, in addition to the cookie set by this reply. */
  key: string;
}

/** The server's proof that it knows the operator token (docs/api.md). */
export interface HandshakeReply {
  program: 'loupe';
  nonce: string;
  /** `address:port` of the server. */
  listener: string;
  proof: string;
}

export interface SessionLinkReply {
  /** Valid once, for an hour. */
  url: string;
}
