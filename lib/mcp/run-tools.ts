import { AppError } from '../errors/app-error.ts';
import { isServerTool } from '../events/mcp-names.ts';
import type { Tool } from '../tools/tool.ts';
import { callServerTool } from './call-tool.ts';
import type { AcceptedTool } from './config-file.ts';
import type { McpServers } from './mcp-servers.ts';
import type { ServerInstance } from './server-instance.ts';

/** The tools of servers that a run has opened. */
export interface OpenedServerTools {
  tools: readonly Tool[];
  /** The servers' descriptions of themselves. */
  servers: readonly { server: string; name: string; version: string; protocol: string }[];
  close(): Promise<void>;
}

const NONE: OpenedServerTools = { tools: [], servers: [], close: async () => undefined };

/**
 * Starts the servers whose tools a run has chosen, one process or session each, and checks that the tools are as a
 * person accepted them.
 *
 * @param names the run's setting `tools`
 * @param workspace the run's canonical folder; empty if it has none
 * @throws {AppError} `mcp_tool_not_accepted`, `mcp_tool_changed`, `mcp_server_not_found`, `mcp_server_disabled` and those of
 *   `ServerInstance.connect`; then all servers of the run are stopped
 */
export async function openServerTools(
  servers: McpServers | undefined,
  names: readonly string[] | undefined,
  { workspace, signal }: { workspace: string; signal?: AbortSignal | undefined },
): Promise<OpenedServerTools> {
  const chosen = (names ?? []).filter(isServerTool);
  if (!servers || chosen.length === 0) return NONE;
  const accepted = await Promise.all(chosen.map((name) => servers.acceptedTool(name)));
  const opened: { instance: ServerInstance; release(): Promise<void> }[] = [];
  const close = async () => {
    signal?.removeEventListener('abort', onAbort);
    await Promise.all(opened.map(({ release }) => release()));
  };
  const onAbort = () => void close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const byServer = Map.groupBy(accepted, ({ server }) => server);
    for (const server of byServer.keys()) opened.push(await servers.instanceForRun(server, workspace));
    signal?.throwIfAborted();
    await Promise.all(
      opened.map(({ instance }) =>
        checkTools(
          instance,
          (byServer.get(instance.name) ?? []).map(({ tool }) => tool),
        ),
      ),
    );
    return {
      tools: accepted.flatMap(({ server, tool }) => {
        const found = opened.find(({ instance }) => instance.name === server);
        return found ? [runTool(found.instance, tool)] : [];
      }),
      servers: opened.flatMap(({ instance }) =>
        instance.info
          ? [
              {
                server: instance.name,
                name: instance.info.name,
                version: instance.info.version,
                protocol: instance.info.protocol,
              },
            ]
          : [],
      ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const REMOVE_HINT = 'Remove them on the Tools page, or choose other tools.';

/** @throws {AppError} `mcp_tool_changed` naming the tools that differ from the accepted ones, or can no longer be used */
async function checkTools(instance: ServerInstance, accepted: readonly AcceptedTool[]): Promise<void> {
  const listed = new Map((await instance.tools()).map((tool) => [tool.name, tool]));
  const changed = accepted.filter(({ name, hash }) => listed.get(name)?.hash !== hash);
  if (changed.length === 0) return;
  const unusable = changed.flatMap(({ name, offered }) => {
    const problem = listed.get(name)?.problem;
    return problem === undefined ? [] : [`${offered}: ${problem}`];
  });
  if (unusable.length > 0) {
    throw new AppError({
      code: 'mcp_tool_changed',
      message: `Tools of the server "${instance.name}" can no longer be used. ${unusable.join(' ')}`,
      hint: REMOVE_HINT,
    });
  }
  const missing = changed.filter(({ name }) => !listed.has(name));
  if (missing.length > 0) {
    throw new AppError({
      code: 'mcp_tool_changed',
      message: `The server "${instance.name}" no longer has these accepted tools: ${missing.map(({ offered }) => offered).join(', ')}.`,
      hint: REMOVE_HINT,
    });
  }
  throw new AppError({
    code: 'mcp_tool_changed',
    message: `The server "${instance.name}" describes these tools differently than when they were accepted: ${changed.map(({ offered }) => offered).join(', ')}.`,
    hint: 'Read what changed on the Tools page and accept it there, or choose other tools.',
  });
}

/** A tool of a server as the engine calls it. Its intent is on disk first, because nobody knows what a server does. */
function runTool(instance: ServerInstance, tool: AcceptedTool): Tool {
  return {
    definition: tool.definition,
    run: (args, context) => callServerTool(instance, tool, args, context),
  };
}
