import { isAddedTool, isOptionalTool, OPTIONAL_TOOLS } from '../events/added-tools.ts';
import { isAllOfServer, serverAndTool } from '../events/mcp-names.ts';
import { modeFacts, type RunMode } from '../events/modes.ts';
import { firstRepeated } from '../util/first-repeated.ts';
import { nearestName } from '../util/nearest-name.ts';
import { quotedName } from '../util/short-text.ts';
import type { ErrorReply } from './error-reply.ts';

/** A tool that runs can offer. */
export interface OfferableTool {
  name: string;
  /** The description that models get. */
  description: string;
  /** The tokens that its definition adds to every request. */
  estimated_tokens: number;
}

/** An accepted tool of an MCP server; its name is that of the server and its own: `server__tool`. */
export interface ServerTool extends OfferableTool {
  /** Whether its calls run without approval by default. */
  unasked: boolean;
}

/** An enabled server with its accepted tools. */
export interface ServerTools {
  server: string;
  tools: ServerTool[];
}

/** `GET /api/tools` */
export interface ToolsReply {
  /** The built-in tools that runs of each mode can offer on this machine, in the order in which they are offered. */
  tools: Record<RunMode, OfferableTool[]>;
  servers: ServerTools[];
  /** Why tools of servers or custom tools are missing: their file (`mcp.json`, `tools.json`) cannot be read, or not in full. */
  problems: ErrorReply['error'][];
}

/** Whether runs of a mode can offer tools of servers: explorations reach nothing outside of their memory (O16). */
export function offersServers(mode: RunMode): boolean {
  return modeFacts(mode).usesFiles;
}

/**
 * The problem with the setting `tools` of a run of this mode; `undefined` if there is none. Whether a server has a tool
 * is only known where the run is created. Pure.
 */
export function toolsProblem(mode: RunMode, names: readonly string[]): string | undefined {
  const { tools } = modeFacts(mode);
  const added = names.find(isAddedTool);
  if (added !== undefined && !offersServers(mode)) {
    return `The mode "${mode}" reaches nothing outside its memory, so it cannot use ${quotedName(added)}.`;
  }
  const unknown = names.find((name) => !tools.includes(name) && !isAddedTool(name));
  if (unknown !== undefined) {
    const all = [...tools, ...(offersServers(mode) ? OPTIONAL_TOOLS : [])];
    const near = nearestName(unknown, all);
    const meant = near === undefined ? '' : ` Did you mean ${near}?`;
    return `The mode "${mode}" has no tool "${quotedName(unknown)}".${meant} It has ${all.join(', ')}.`;
  }
  const twice = firstRepeated(names);
  return twice === undefined ? undefined : `${quotedName(twice)} is named twice.`;
}

/**
 * The setting `tools` with the names of a server's tools in place of `server__*`. Pure.
 *
 * @returns the names, or what is wrong with one of them
 */
export function withServerTools(
  names: readonly string[],
  servers: readonly ServerTools[],
): { names: string[] } | { problem: string } {
  const all: string[] = [];
  for (const name of names) {
    const parts = serverAndTool(name);
    if (!parts) {
      all.push(name);
      continue;
    }
    const known = servers.find(({ server }) => server === parts.server)?.tools.map((tool) => tool.name) ?? [];
    if (known.length === 0) {
      return { problem: `There is no enabled server "${parts.server}" with accepted tools.` };
    }
    if (isAllOfServer(name)) all.push(...known);
    else if (known.includes(name)) all.push(name);
    else {
      const near = nearestName(name, known);
      return {
        problem: `The server "${parts.server}" has no accepted tool "${name}".${near === undefined ? '' : ` Did you mean ${near}?`}`,
      };
    }
  }
  return { names: [...new Set(all)] };
}

/** The chosen tools whose calls need approval by default, given which servers are trusted. Pure. */
export function chosenAddedTools(
  names: readonly string[] = [],
  servers: readonly ServerTools[],
): Pick<ServerTool, 'name' | 'unasked'>[] {
  const ofServers = servers.flatMap(({ tools }) => tools).filter(({ name }) => names.includes(name));
  return [...names.filter(isOptionalTool).map((name) => ({ name, unasked: false })), ...ofServers];
}

/**
 * Approval rules from a file that anyone may have written, without those that let calls of added tools run unasked: servers
 * of this machine may have the same names, and the file may name any host. Pure.
 */
export function withoutAddedRules<Approval extends { tools?: Readonly<Record<string, string>> }>(
  approval: Approval,
): Approval {
  const { tools } = approval;
  if (!tools) return approval;
  const kept = Object.entries(tools).filter(([name, choice]) => choice !== 'auto' || !isAddedTool(name));
  return { ...approval, tools: Object.fromEntries(kept) };
}
