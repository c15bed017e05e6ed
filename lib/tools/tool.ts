import type { ToolDefinition } from '../parser/types.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** What a tool call brought (O3). A failure is a result the model reads, never an exception. */
export type ToolResult =
  | { success: true; tool: string; output: JsonValue; truncated?: true }
  | {
      success: false;
      tool: string;
      output: { error: string; [detail: string]: JsonValue };
      truncated?: true;
    };

/**
 * What running the tool may change. After a crash a `read` may be repeated; the others are reported to the
 * model as interrupted, outcome unknown.
 */
export type ToolEffect = 'read' | 'write' | 'command';

export interface ToolContext {
  /** Absolute real path of the workspace, canonicalised once (O5). */
  workspace: string;
  signal: AbortSignal;
  /** Live output of a command, for viewers only; the result is complete without it. */
  onOutput?: (text: string) => void;
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
    context: { signal: AbortSignal; onOutput?: (text: string) => void },
  ): Promise<ToolResult>;
}
