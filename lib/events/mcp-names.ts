/** Separates the names of a server and its tool in names for models. No server's name contains it. */
const SEPARATOR = '__';
/** In place of a tool's name: all tools of the server. */
const ALL = '*';

/** The longest name of a server, and of a tool with its server's. */
export const MAX_SERVER_NAME_CHARS = 30;
export const MAX_TOOL_NAME_CHARS = 64;

/** Lower-case words with single underscores, so that every template accepts the names of a server's tools. */
export const SERVER_NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** The name under which models get a server's tool. @param tool of letters, digits and underscores */
export function nameWithServer(server: string, tool: string): string {
  return `${server}${SEPARATOR}${tool}`;
}

/** In the setting `tools`: all tools of a server. */
export function allToolsOf(server: string): string {
  return nameWithServer(server, ALL);
}

/** The parts of a name from a server; `undefined` for a built-in tool, none of which has the separator in its name. */
export function serverAndTool(name: string): { server: string; tool: string } | undefined {
  const at = name.indexOf(SEPARATOR);
  if (at <= 0) return undefined;
  const server = name.slice(0, at);
  const tool = name.slice(at + SEPARATOR.length);
  return SERVER_NAME.test(server) && tool !== '' ? { server, tool } : undefined;
}

/** Whether a name in the setting `tools` stands for all tools of a server. */
export function isAllOfServer(name: string): boolean {
  return serverAndTool(name)?.tool === ALL;
}

/** In place of a server's name in the names of custom tools; no MCP server can have it. */
export const CUSTOM_GROUP = 'custom';

/** How long a call of a custom tool may take, in seconds. */
export const COMMAND_TOOL_SECONDS = { default: 60, max: 3600 } as const;

/** The longest name of a custom tool. */
export const MAX_COMMAND_NAME_CHARS = MAX_TOOL_NAME_CHARS - nameWithServer(CUSTOM_GROUP, '').length;

/** The name under which models get a custom tool. */
export function offeredCommandName(name: string): string {
  return nameWithServer(CUSTOM_GROUP, name);
}

/** Whether a name for models belongs to a custom tool. */
export function isCommandTool(offered: string): boolean {
  return serverAndTool(offered)?.server === CUSTOM_GROUP;
}

/** Whether a name refers to a tool of an MCP server, or to all of its tools. */
export function isServerTool(offered: string): boolean {
  return serverAndTool(offered) !== undefined && !isCommandTool(offered);
}

/** The page that a browser comes back to after a sign-in at a server. */
export const SIGN_IN_PAGE = '/tools/sign-in';
