import { modeFacts, type RunMode } from '../events/modes.ts';
import { nearestName } from '../util/nearest-name.ts';

/** A built-in tool that runs of a mode can offer on this machine. */
export interface BuiltInTool {
  name: string;
  /** As the model gets it. */
  description: string;
  /** What its definition adds to every request. */
  estimated_tokens: number;
}

/** `GET /api/tools`: the built-in tools by mode, in the order in which they are offered. */
export interface ToolsReply {
  tools: Record<RunMode, BuiltInTool[]>;
}

/** What is wrong with the setting `tools` of a run of this mode; `undefined` if nothing is. Pure. */
export function toolsProblem(mode: RunMode, names: readonly string[]): string | undefined {
  const { tools } = modeFacts(mode);
  const unknown = names.find((name) => !tools.includes(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, tools);
    const meant = near === undefined ? '' : ` Did you mean ${near}?`;
    return `The mode "${mode}" has no tool "${unknown}".${meant} It has ${tools.join(', ')}.`;
  }
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? undefined : `${twice} is named twice.`;
}
