import { notStarted } from '../errors/not-started.ts';
import type { McpServers } from '../mcp/mcp-servers.ts';

const KEY = Symbol.for('loupe.mcp-servers');
const place: typeof globalThis & { [KEY]?: McpServers } = globalThis;

/** Sets the MCP servers of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setMcpServers(servers: McpServers): void {
  place[KEY] = servers;
}

/** @throws {AppError} `not_started` */
export function getMcpServers(): McpServers {
  return place[KEY] ?? notStarted();
}
