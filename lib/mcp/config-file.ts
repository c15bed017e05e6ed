import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { MAX_MCP_SERVERS, type McpServer, mcpServer, mcpServerName } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import { errno } from '../util/errno.ts';
import { isNoSpace } from '../util/no-space.ts';
import { replaceFile } from '../util/replace-file.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import type { ServerTool } from './tool-definition.ts';

/** Servers by name, as other hosts write them, with Loupe's own fields. */
const configFile = z.object({ mcpServers: z.record(mcpServerName, mcpServer) });

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

/** A tool that a person has accepted, as it was then. */
export type AcceptedTool = ServerTool & { definition: NonNullable<ServerTool['definition']> };

type Servers = Readonly<Record<string, McpServer>>;
type Accepted = Readonly<Record<string, readonly AcceptedTool[]>>;

/**
 * The servers and their accepted tools, in two files of the data directory that only its owner can read. They are read
 * for each use, so that edits by hand count. Nothing is read or written before the first server is added.
 */
export class ConfigFiles {
  /** The servers; can be edited by hand. */
  readonly path: string;
  readonly #toolsPath: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'mcp.json');
    this.#toolsPath = join(dataDir, 'mcp-tools.json');
  }

  /** @throws {AppError} `mcp_config_unreadable` */
  async servers(): Promise<Servers> {
    return ownOnly((await read(this.path, configFile))?.mcpServers);
  }

  async saveServers(servers: Servers): Promise<void> {
    if (Object.keys(servers).length > MAX_MCP_SERVERS) {
      throw new AppError({
        code: 'too_many_mcp_servers',
        message: `There are already ${MAX_MCP_SERVERS} servers.`,
        hint: 'Remove one that is no longer needed.',
      });
    }
    await write(this.path, { mcpServers: servers });
  }

  /** @throws {AppError} `mcp_config_unreadable` */
  async accepted(): Promise<Accepted> {
    return ownOnly((await read(this.#toolsPath, toolsFile))?.servers);
  }

  async saveAccepted(servers: Accepted): Promise<void> {
    await write(this.#toolsPath, { servers });
  }
}

/** Without what objects inherit: a server can be named "constructor". */
function ownOnly<Value>(record: Readonly<Record<string, Value>> = {}): Readonly<Record<string, Value>> {
  return Object.setPrototypeOf({ ...record }, null);
}

async function read<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (errno(cause) === 'ENOENT') return undefined;
    throw unreadable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(
      path,
      `This is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
  const parsed = schema.safeParse(value, IN_WORDS);
  if (parsed.success) return parsed.data;
  throw unreadable(path, describeFieldProblems(parsed.error.issues, 'file').join(' '), parsed.error);
}

/** Replaces a file. @throws {AppError} `storage_full` */
async function write(path: string, value: unknown): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause;
    throw new AppError({ code: 'storage_full', message: `There is no room to write ${path}.`, cause });
  }
}

function unreadable(path: string, why: string, cause: unknown): AppError {
  return new AppError({
    code: 'mcp_config_unreadable',
    message: `${path} cannot be read: ${why}`,
    hint: 'Correct the file, or move it away to start without servers.',
    cause,
  });
}
