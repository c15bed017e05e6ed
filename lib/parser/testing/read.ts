import { parseToolCalls } from '../parse-tool-calls.ts';
import type { ParsedReply, ToolCall, ToolDefinition } from '../types.ts';
import { TOOLS, tool } from './tools.ts';

/** A tool with a parameter of each type, for format samples. */
const WEATHER = tool(
  'get_weather',
  {
    city: { type: 'string' },
    days: { type: 'integer' },
    hourly: { type: 'boolean' },
    fields: { type: 'array', items: { type: 'string' } },
  },
  ['city'],
);

const OFFERED: readonly ToolDefinition[] = [...TOOLS, WEATHER];

export function readReply(content: string): ParsedReply {
  return parseToolCalls({ role: 'assistant', content }, { tools: OFFERED });
}

/** The calls of a reply, else the reason of its first refusal, else the kind of reply. */
export function readCalls(content: string): ToolCall[] | string {
  const reply = readReply(content);
  return reply.type === 'tool_calls' ? reply.calls : (reply.refusals[0]?.reason ?? reply.type);
}

/** A call of the weather tool. */
export function weather(args: ToolCall['arguments'] = { city: 'Oslo' }): ToolCall {
  return { name: 'get_weather', arguments: args };
}
