import type { ToolDefinition } from '../parser/types.ts';
import { deleteMemory, listMemories, readMemory, searchMemories, writeMemory } from './memory.ts';
import { messageOperator } from './message-operator.ts';
import { createToolBox, offeredOf } from './registry.ts';
import type { Tool, ToolBox } from './tool.ts';

const EXPLORE_TOOLS: readonly Tool[] = [
  writeMemory,
  readMemory,
  listMemories,
  deleteMemory,
  searchMemories,
  messageOperator,
];

/**
 * The six tools of an exploration (O11): memory and messages to the operator; no files, shell or network (O16).
 *
 * @param offered names of the tools to offer; default: all
 */
export function createExploreTools(offered?: readonly string[]): ToolBox {
  return createToolBox(offeredOf(EXPLORE_TOOLS, offered), '');
}

/** The definitions that an exploration could offer. */
export function exploreToolDefinitions(): ToolDefinition[] {
  return EXPLORE_TOOLS.map(({ definition }) => definition);
}
