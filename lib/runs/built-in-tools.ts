import type { ToolsReply } from '../api/tools.ts';
import { modeNames, type RunMode } from '../events/modes.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { estimateTokens } from '../policies/estimate.ts';
import { exploreToolDefinitions } from '../tools/explore-tools.ts';
import { getToolDefinitions } from '../tools/registry.ts';
import { createSafetyLayer, sessionToolDefinitions } from '../tools/session-tools.ts';
import type { ToolParts } from './open-tools.ts';

export type BuiltInTools = Readonly<Record<RunMode, readonly ToolDefinition[]>>;

/** The built-in tools that runs of each mode can offer on this machine, in the order in which they are offered. */
export function builtInTools({
  sandbox,
  unconfined,
}: Pick<ToolParts, 'sandbox' | 'unconfined'>): BuiltInTools {
  const commands = unconfined ?? sandbox;
  return {
    task: getToolDefinitions({ sandbox, commands }),
    session: sessionToolDefinitions(createSafetyLayer({ sandbox: commands })),
    explore: exploreToolDefinitions(),
  };
}

/** The tools as forms show them: the purpose of each, and its tokens in every request (C1). */
export function toolsReply(
  tools: BuiltInTools,
  { servers, problems }: Pick<ToolsReply, 'servers' | 'problems'>,
): ToolsReply {
  const shown = (definition: ToolDefinition) => ({
    name: definition.function.name,
    description: definition.function.description,
    estimated_tokens: estimateTokens([], [definition]),
  });
  const byMode = modeNames.map((mode) => [mode, tools[mode].map(shown)]);
  return { tools: Object.fromEntries(byMode), servers, problems };
}
