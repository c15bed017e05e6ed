import type { McpServerReply } from '../api/mcp.ts';

/** The tools of a server that can be accepted, as `POST /api/mcp/servers/{name}/accept` takes them. */
export function toolsToAccept({ tools }: McpServerReply): { name: string; hash: string }[] {
  return tools.filter(({ status }) => status !== 'unusable').map(({ name, hash }) => ({ name, hash }));
}
