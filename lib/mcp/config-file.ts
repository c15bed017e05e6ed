import { join } from 'node:path';
import { z } from 'zod';
import { MAX_MCP_SERVERS, type McpServer, mcpServer, mcpServerName } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import { IN_WORDS } from '../util/schema-problems.ts';
import { readPrivateFile, unreadableEntry, writePrivateFile } from './private-file.ts';
import type { ServerTool } from './tool-definition.ts';

/** Servers by name, as other hosts write them, with Loupe's own fields. */
const configFile = z.object({ mcpServers: z.record(z.string(), z.unknown()) });
/** The same with one server. */
const configEntry = z.object({ mcpServers: z.record(mcpServerName, mcpServer) });

const jsonObject = z.record(z.string(), z.json());
const acceptedTool = z.object({
  name: z.string(),
  offered: z.string(),
  title: z.string().optional(),
  description: z.string(),
  leftOutChars: z.number(),
  hiddenChars: z.number(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  annotations: z.object({
    title: z.string().optional(),
    readOnlyHint: z.boolean().optional(),
    destructiveHint: z.boolean().optional(),
    idempotentHint: z.boolean().optional(),
    openWorldHint: z.boolean().optional(),
  }),
  hash: z.string(),
  definition: z.object({
    type: z.literal('function'),
    function: z.object({ name: z.string(), description: z.string(), parameters: jsonObject }),
  }),
});
const toolsFile = z.object({ servers: z.record(z.string(), z.array(acceptedTool)) });

/** A tool as it was when a person accepted it. */
export type AcceptedTool = ServerTool & { definition: NonNullable<ServerTool['definition']> };

type Servers = Readonly<Record<string, McpServer>>;
/** A server as it is in the file, and what is wrong with it. */
interface UnreadableServer {
  value: unknown;
  problem: AppError;
}
type Accepted = Readonly<Record<string, readonly AcceptedTool[]>>;

/**
 * The servers and their accepted tools, in two files of the data directory that only its owner can read. They are read
 * on each use, so that manual edits take effect. Nothing is read or written before the first server is added.
 */
export class ConfigFiles {
  /** The servers; can be edited by hand. */
  readonly path: string;
  readonly #toolsPath: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'mcp.json');
    this.#toolsPath = join(dataDir, 'mcp-tools.json');
  }

  /**
   * The servers that can be read, and what is wrong with the others, by name.
   *
   * @throws {AppError} `mcp_config_unreadable` if the whole file cannot be read
   */
  async read(): Promise<{ servers: Servers; unreadable: ReadonlyMap<string, UnreadableServer> }> {
    const file = await readPrivateFile(this.path, configFile);
    const servers: Record<string, McpServer> = {};
    const unreadable = new Map<string, UnreadableServer>();
    for (const [name, value] of Object.entries(file?.mcpServers ?? {})) {
      const parsed = configEntry.safeParse({ mcpServers: { [name]: value } }, IN_WORDS);
      if (parsed.success) Object.assign(servers, parsed.data.mcpServers);
      else unreadable.set(name, { value, problem: unreadableEntry(this.path, parsed.error.issues) });
    }
    return { servers: ownOnly(servers), unreadable };
  }

  /** @throws {AppError} `mcp_config_unreadable` if the whole file cannot be read */
  async servers(): Promise<Servers> {
    return (await this.read()).servers;
  }

  /** Replaces the servers that can be read. The others stay in the file as they are. */
  async saveServers(servers: Servers): Promise<void> {
    if (Object.keys(servers).length > MAX_MCP_SERVERS) {
      throw new AppError({
        code: 'too_many_mcp_servers',
        message: `There are already ${MAX_MCP_SERVERS} servers.`,
        hint: 'Remove one that is no longer needed.',
      });
    }
    const { unreadable } = await this.read();
    const kept = [...unreadable].map(([name, { value }]) => [name, value]);
    await writePrivateFile(this.path, { mcpServers: { ...Object.fromEntries(kept), ...servers } });
  }

  /** @throws {AppError} `mcp_config_unreadable` */
  async accepted(): Promise<Accepted> {
    return ownOnly((await readPrivateFile(this.#toolsPath, toolsFile))?.servers);
  }

  async saveAccepted(servers: Accepted): Promise<void> {
    await writePrivateFile(this.#toolsPath, { servers });
  }
}

/** Own properties only: a server can be named "constructor". */
function ownOnly<Value>(record: Readonly<Record<string, Value>> = {}): Readonly<Record<string, Value>> {
  return Object.setPrototypeOf({ ...record }, null);
}
