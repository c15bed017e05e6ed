import type { McpServer, McpToolReply, McpToolStatus } from '../api/mcp.ts';
import { estimateTokens } from '../policies/estimate.ts';
import type { AcceptedTool } from './config-file.ts';
import type { ServerTool } from './tool-definition.ts';

/**
 * The tools of a server with their changes since they were accepted. Pure.
 *
 * @param tools.listed as the server listed them last; `undefined` if it did not since Loupe started
 */
export function toolReplies(
  server: McpServer,
  tools: { accepted: readonly AcceptedTool[]; listed: readonly ServerTool[] | undefined },
): McpToolReply[] {
  const { accepted, listed } = tools;
  const acceptedOf = new Map(accepted.map((tool) => [tool.name, tool]));
  const shown = (listed ?? accepted).map((tool) => {
    const before = acceptedOf.get(tool.name);
    return reply(server, tool, statusOf(tool, before), before);
  });
  const names = new Set(listed?.map(({ name }) => name));
  const missing = listed ? accepted.filter(({ name }) => !names.has(name)) : [];
  return [...shown, ...missing.map((tool) => reply(server, tool, 'missing', tool))];
}

function statusOf(tool: ServerTool, accepted: AcceptedTool | undefined): McpToolStatus {
  if (tool.definition === undefined) return 'unusable';
  if (accepted === undefined) return 'new';
  return accepted.hash === tool.hash ? 'accepted' : 'changed';
}

function reply(
  server: McpServer,
  tool: ServerTool,
  status: McpToolStatus,
  accepted: AcceptedTool | undefined,
): McpToolReply {
  return {
    name: tool.name,
    offered: (status === 'accepted' ? accepted?.offered : undefined) ?? tool.offered,
    status,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    ...(tool.leftOutChars > 0 && { left_out_chars: tool.leftOutChars }),
    ...(tool.hiddenChars > 0 && { hidden_chars: tool.hiddenChars }),
    input_schema: tool.inputSchema,
    ...(tool.outputSchema && { output_schema: tool.outputSchema }),
    annotations: tool.annotations,
    hash: tool.hash,
    ...(tool.problem === undefined ? {} : { problem: tool.problem }),
    ...(accepted && (status === 'missing' || status === 'unusable') && { was_accepted: true }),
    estimated_tokens: tool.definition ? estimateTokens([], [tool.definition]) : 0,
    unasked: runsUnasked(server, tool),
    ...(status === 'changed' && accepted
      ? {
          accepted: {
            description: accepted.description,
            input_schema: accepted.inputSchema,
            annotations: accepted.annotations,
          },
        }
      : {}),
  };
}

/** Whether calls of a tool run without approval by default: the server says that it only reads, and is trusted. */
export function runsUnasked(
  { trust_read_only }: Pick<McpServer, 'trust_read_only'>,
  { annotations }: Pick<ServerTool, 'annotations'>,
): boolean {
  return trust_read_only && annotations.readOnlyHint === true && annotations.destructiveHint !== true;
}
