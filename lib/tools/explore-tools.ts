import { deleteMemory, listMemories, readMemory, searchMemories, writeMemory } from './memory.ts';
import { messageOperator } from './message-operator.ts';
import { createToolBox } from './registry.ts';
import type { Tool, ToolBox } from './tool.ts';

const EXPLORE_TOOLS: readonly Tool[] = [
  writeMemory,
  readMemory,
  listMemories,
  deleteMemory,
  searchMemories,
  messageOperator,
];

/** The six tools of an exploration (O11): memory and messages to the operator; no files, shell or network (O16). */
export function createExploreTools(): ToolBox {
  return createToolBox(EXPLORE_TOOLS, '');
}
