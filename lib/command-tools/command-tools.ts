import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandToolReply, CommandToolsReply, TryCommandToolReply } from '../api/command-tool.ts';
import type { ServerTools } from '../api/tools.ts';
import { withRoomFor } from '../config/full-disk.ts';
import { AppError } from '../errors/app-error.ts';
import { type CommandTool, MAX_COMMAND_TOOLS } from '../events/command-tool.ts';
import { CUSTOM_GROUP } from '../events/mcp-names.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { estimateTokens } from '../policies/estimate.ts';
import type { NewFolders } from '../sandbox/new-folders.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { WORKSPACES_FOLDER } from '../sandbox/workspace.ts';
import { commandArgv } from '../tools/command-argv.ts';
import { commandDefinition, commandTool } from '../tools/command-tool.ts';
import { executeTool } from '../tools/execute-tool.ts';
import type { JsonObject } from '../util/json.ts';
import { jsonHash } from '../util/json-hash.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import { CommandToolsFile } from './tools-file.ts';

export interface CommandToolsOptions {
  dataDir: string;
  folders: NewFolders;
  /** Where commands run: the confined sandbox, or the unconfined one if the user chose that. */
  sandbox: Sandbox;
  /** Whether that sandbox confines. */
  confined: boolean;
}

/** The custom tools of this machine: commands that a person registered as tools. */
export class CommandTools {
  readonly #options: CommandToolsOptions;
  readonly #file: CommandToolsFile;
  /** Changes of the file, one after the other. */
  readonly #writing = new OneAtATime();

  constructor(options: CommandToolsOptions) {
    this.#options = options;
    this.#file = new CommandToolsFile(options.dataDir);
  }

  /** @throws {AppError} `command_tools_unreadable` */
  async list(): Promise<CommandToolsReply> {
    const { sandbox, confined } = this.#options;
    const { available, reason, hint } = sandbox.report;
    return {
      tools: (await this.#file.read()).map(replyOf),
      programs: { available, confined, ...(available ? {} : { reason, hint }) },
      path: this.#file.path,
    };
  }

  /**
   * Adds a tool, or replaces one. Runs keep the definition that they began with.
   *
   * @param replaces the name of the tool that is replaced
   * @param base the hash of the definition that was edited; default: whichever is current
   * @throws {AppError} `command_tool_exists`, `command_tool_changed`, `command_tool_not_found`, `too_many_command_tools`
   */
  async save(
    tool: CommandTool,
    { replaces, base }: { replaces?: string; base?: string } = {},
  ): Promise<CommandToolReply> {
    await this.#change((tools) => {
      const index = replaces === undefined ? -1 : tools.findIndex(({ name }) => name === replaces);
      if (replaces !== undefined && index < 0) throw notFound(replaces);
      const before = tools[index];
      if (before && base !== undefined && ![base, jsonHash(tool)].includes(jsonHash(before))) {
        throw new AppError({
          code: 'command_tool_changed',
          message: `The tool "${before.name}" was changed in the meantime.`,
          hint: 'Read its current definition and make the change again.',
        });
      }
      if (tool.name !== replaces && tools.some(({ name }) => name === tool.name)) {
        throw new AppError({
          code: 'command_tool_exists',
          message: `A tool "${tool.name}" already exists.`,
          hint: 'Choose another name, or change that tool.',
        });
      }
      if (index < 0 && tools.length >= MAX_COMMAND_TOOLS) {
        throw new AppError({
          code: 'too_many_command_tools',
          message: `There are already ${MAX_COMMAND_TOOLS} custom tools.`,
          hint: 'Remove one that is no longer needed.',
        });
      }
      return index < 0 ? [...tools, tool] : tools.with(index, tool);
    });
    return replyOf(tool);
  }

  /** @throws {AppError} `command_tool_not_found` */
  async remove(name: string): Promise<{ removed: string }> {
    await this.#change((tools) => {
      if (!tools.some((tool) => tool.name === name)) throw notFound(name);
      return tools.filter((tool) => tool.name !== name);
    });
    return { removed: name };
  }

  /**
   * Runs a tool for a person who tries it out, in an empty folder that is removed afterwards. A failed call is a
   * result.
   *
   * @throws {AppError} `commands_unavailable` if commands cannot run here, `storage_full`
   */
  async try(tool: CommandTool, args: JsonObject, signal: AbortSignal): Promise<TryCommandToolReply> {
    const { sandbox, dataDir, folders } = this.#options;
    if (!sandbox.report.available) {
      throw new AppError({
        code: 'commands_unavailable',
        message: `Commands cannot run here: ${sandbox.report.reason ?? ''}`,
        hint: sandbox.report.hint,
      });
    }
    const folder = await withRoomFor(join(dataDir, WORKSPACES_FOLDER), () =>
      folders.make(`try-${randomUUID()}`),
    );
    const startedAt = performance.now();
    try {
      const own = commandTool(tool, sandbox);
      const { name } = own.definition.function;
      const { tool: _, ...result } = await executeTool(name, args, await realpath(folder.path), {
        tools: [own],
        signal,
      });
      const filled = commandArgv(tool, args);
      return {
        result,
        argv: 'argv' in filled ? [...filled.argv] : [],
        duration_ms: performance.now() - startedAt,
      };
    } finally {
      await folder.discard();
    }
  }

  /** The tools with their definitions, for runs that begin now. None where commands cannot run. */
  async definitions(): Promise<CommandTool[]> {
    return this.#options.sandbox.report.available ? await this.#file.read() : [];
  }

  /**
   * Like `definitions`, but empty while the file cannot be read; the Tools page and runs that need a tool report why.
   */
  async readable(): Promise<CommandTool[]> {
    return this.definitions().catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'command_tools_unreadable') return [];
      throw error;
    });
  }

  #change(work: (tools: readonly CommandTool[]) => readonly CommandTool[]): Promise<void> {
    return this.#writing.run(async () => this.#file.write(work(await this.#file.read())));
  }
}

/** The tools as a group that runs can choose, like those of a server. Pure. */
export function offeredGroup(tools: readonly CommandTool[]): ServerTools[] {
  if (tools.length === 0) return [];
  const offered = tools.map(replyOf).map(({ offered: name, description, estimated_tokens }) => ({
    name,
    description,
    estimated_tokens,
    unasked: false,
  }));
  return [{ server: CUSTOM_GROUP, tools: offered }];
}

/** The definitions for models. Pure. */
export function definitionsOf(tools: readonly CommandTool[]): ToolDefinition[] {
  return tools.map(commandDefinition);
}

function replyOf(tool: CommandTool): CommandToolReply {
  const definition = commandDefinition(tool);
  return {
    ...tool,
    offered: definition.function.name,
    estimated_tokens: estimateTokens([], [definition]),
    hash: jsonHash(tool),
  };
}

function notFound(name: string): AppError {
  return new AppError({
    code: 'command_tool_not_found',
    message: `There is no custom tool "${name.slice(0, 60)}".`,
    hint: 'The Tools page lists them.',
  });
}
