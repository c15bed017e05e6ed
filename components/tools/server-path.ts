/** The path of a server in the API. */
export function serverPath(name: string): string {
  return `/api/mcp/servers/${encodeURIComponent(name)}`;
}
