import type { ToolDefinition } from '../parser/types.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** What a tool call brought (O3). A failure is a result the model reads, never an exception. */
export type ToolResult =
  | { success: true; tool: string; output: JsonValue; truncated?: true; note?: string }
  | {
      success: false;
      tool: string;
      output: { error: string; [detail: string]: JsonValue };
      truncated?: true;
      note?: string;
    };

/**
 * What running the tool may change. After a crash a `read` may be repeated; the others are reported to the
 * model as interrupted, outcome unknown.
 */
export type ToolEffect = 'read' | 'write' | 'command';

/** What a tool call changed in the run itself. The log keeps it, and the run's state is computed from there. */
export type ToolFact =
  | { kind: 'memory-written'; key: string; value: string }
  | { kind: 'memory-deleted'; key: string }
  | { kind: 'said-to-operator'; text: string }
  | { kind: 'messages-read'; ids: readonly string[] };

/** The run as its tools see it. */
export interface ToolRun {
  /** Memories by key, in the order of writing (O12). */
  readonly memory: ReadonlyMap<string, { readonly value: string }>;
  /** What the operator said and the model has not read yet. */
  readonly queued: readonly { readonly id: string; readonly text: string }[];
  /** Becomes true together with the result of the call. */
  record(fact: ToolFact): void;
}

export interface ToolContext {
  /** Absolute real path of the workspace, canonicalised once (O5). */
  workspace: string;
  signal: AbortSignal;
  /** Live output of a command, for viewers only; the result is complete without it. */
  onOutput?: (text: string) => void;
  /** For tools that work on the run and not on files. */
  run?: ToolRun;
}

/** One tool: a file in lib/tools, and a line in the registry. */
export interface Tool {
  definition: ToolDefinition;
  effect: ToolEffect;
  /** The argument that names what the call is about (`path`, `command`, …), for one-line summaries (C4). */
  mainArgument?: string;
  /** Arguments were validated against the schema before. */
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}

/** The tools of one run. The engine knows tools only through this. */
export interface ToolBox {
  definitions: readonly ToolDefinition[];
  effectOf(name: string): ToolEffect | undefined;
  mainArgumentOf(name: string): string | undefined;
  /** Never throws; unknown names and bad arguments come back as failures that say what to do (O4). */
  execute(
    call: { name: string; arguments: JsonObject },
    context: Pick<ToolContext, 'signal' | 'onOutput' | 'run'>,
  ): Promise<ToolResult>;
}
