import type { ParameterSchema, ToolDefinition } from '../types.ts';

/** A tool definition for tests, its parameters given as the schema's properties. */
export function tool(
  name: string,
  properties: { [name: string]: ParameterSchema } = {},
  required: string[] = [],
): ToolDefinition {
  return {
    type: 'function',
    function: { name, description: `Runs ${name}.`, parameters: { type: 'object', properties, required } },
  };
}

/** Tools like the program's own. */
export const TOOLS: readonly ToolDefinition[] = [
  tool(
    'read_file',
    { path: { type: 'string' }, start_line: { type: 'integer' }, end_line: { type: 'integer' } },
    ['path'],
  ),
  tool('write_file', { path: { type: 'string' }, content: { type: 'string' } }, ['path', 'content']),
  tool('run_command', { command: { type: 'string' }, timeout_ms: { type: 'integer' } }, ['command']),
  tool('search_files', { query: { type: 'string' }, case_sensitive: { type: 'boolean' } }, ['query']),
  tool('list_directory'),
];
