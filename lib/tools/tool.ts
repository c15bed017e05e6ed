import type { Stats } from 'node:fs';
import type { FileBefore } from '../events/changed-file.ts';
import type { NamedImage } from '../events/image.ts';
import type { AskedRequest, EnteredContent, McpRequestAction } from '../events/mcp-request.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** The result of a tool call (O3). A failure is a result for the model, never an exception. */
export type ToolResult =
  | { success: true; tool: string; output: JsonValue; truncated?: true; note?: string }
  | {
      success: false;
      tool: string;
      output: { error: string; [detail: string]: JsonValue };
      truncated?: true;
      note?: string;
    };

/** A change that a tool call makes to the run itself. The log stores it, and the run's state is derived from there. */
export type ToolFact =
  | { kind: 'memory-written'; key: string; value: string }
  | { kind: 'memory-deleted'; key: string }
  | { kind: 'said-to-operator'; text: string }
  | { kind: 'messages-read'; ids: readonly string[] }
  | { kind: 'server-messages'; server: string; lines: readonly string[]; leftOut: number };

/** A tool's view of its run. */
export interface ToolRun {
  /** Memories by key, in write order (O12). */
  readonly memory: ReadonlyMap<string, { readonly value: string }>;
  /** Operator messages not yet delivered to the model. */
  readonly queued: readonly { readonly id: string; readonly text: string }[];
  /** Committed together with the result of the call. */
  record(fact: ToolFact): void;
}

export interface CallId {
  runId: string;
  callId: string;
}

/** The outcome of a request to the operator. */
export interface OperatorAnswer {
  action: McpRequestAction;
  /** Of an accepted form. */
  content?: EnteredContent;
  /** For an accepted sample: the model's text, or why there is none. */
  sample?: { text: string; model: string; isCut: boolean } | { error: string };
}

/**
 * Passes a request from the MCP server of a running tool to the operator. Resolves with the answer, which may take
 * days.
 *
 * @throws the reason of the signal
 */
export type AskOperator = (
  asked: { server: string; request: AskedRequest },
  signal: AbortSignal,
) => Promise<OperatorAnswer>;

/** What a run knows about the files it changes, by their path steps within the workspace. */
export interface KnownFiles {
  /** The file as it was when the call's intent was logged; once. */
  takeFound(steps: readonly string[]): { stats?: Stats; data?: Buffer } | undefined;
  wrote(steps: readonly string[], data: Buffer): void;
}

export interface ToolContext {
  /** Absolute real path of the workspace, canonicalized once (O5). */
  workspace: string;
  signal: AbortSignal;
  /** Live output of a command, for viewers only; the result is complete without it. */
  onOutput?: (text: string) => void;
  /** Takes an image that belongs to the result. It is checked later and may be refused. */
  onImage?: (image: NamedImage) => void;
  /** For tools that work on the run instead of files. */
  run?: ToolRun;
  /** Asks the operator; missing if there is none. */
  ask?: AskOperator;
  /** Identifies this call. */
  call?: CallId;
  files?: KnownFiles;
}

/** One tool: a file in lib/tools, and a line in the registry. */
export interface Tool {
  definition: ToolDefinition;
  /**
   * Whether it changes nothing outside the run's log (`readOnlyHint` in the Model Context Protocol), so that its intent
   * need not be on disk before it runs. Default: false.
   */
  isReadOnly?: boolean;
  /**
   * Whether it changes nothing at all, the run included, and does not use the run's state, so that calls of one reply can
   * run at the same time. Implies `isReadOnly`. Default: false.
   */
  isIndependent?: boolean;
  /** The path argument of a tool that replaces a file, whose content is kept before the call. */
  changesFile?: string;
  /** Arguments are already validated against the schema. */
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}

/** The tools of a run, and the engine's only access to tools. */
export interface ToolBox {
  definitions: readonly ToolDefinition[];
  /** Whether a call of this tool changes nothing outside the run's log. Calls of unknown tools fail, so they don't. */
  isReadOnly(name: string): boolean;
  /** Whether calls of this tool can run at the same time as others that are independent. */
  isIndependent(name: string): boolean;
  /**
   * Reads the file that a call is about to change, to be logged with the call's intent. `undefined` if it changes none
   * that Loupe knows of.
   */
  fileBefore?(call: {
    name: string;
    arguments: JsonObject;
  }): Promise<{ path: string; before: FileBefore } | undefined>;
  /** Never throws; unknown names and bad arguments become failed results that say what to do (O4). */
  execute(
    call: { name: string; arguments: JsonObject },
    context: Omit<ToolContext, 'workspace'>,
  ): Promise<ToolResult>;
}
