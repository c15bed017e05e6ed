import { serverAndTool } from './mcp-names.ts';

/** Built-in tools that a run offers only if its setting `tools` names them. */
export const OPTIONAL_TOOLS = ['fetch_url'] as const;

/** The tool that reads pages from listed hosts. */
export const FETCH_TOOL = 'fetch_url' satisfies (typeof OPTIONAL_TOOLS)[number];

/** Whether a name is that of a built-in tool that is off by default. */
export function isOptionalTool(name: string): boolean {
  return OPTIONAL_TOOLS.some((optional) => optional === name);
}

/**
 * Whether a run has a tool only if it was chosen by name: one of a server, or an optional one. Such tools reach beyond
 * the run's folder or depend on this machine, so their calls need approval unless a person decides otherwise.
 */
export function isAddedTool(name: string): boolean {
  return isOptionalTool(name) || serverAndTool(name) !== undefined;
}
