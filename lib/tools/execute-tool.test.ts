import { expect, it } from 'vitest';
import type { ParameterSchema } from '../parser/types.ts';
import { executeTool } from './execute-tool.ts';

/** The usage line in the error when a tool with one required parameter is called without arguments. */
async function usage(schema: ParameterSchema): Promise<string | undefined> {
  const parameters = { type: 'object', properties: { unit: schema }, required: ['unit'] };
  const definition = { type: 'function', function: { name: 'tool', description: '', parameters } } as const;
  const run = () => expect.unreachable('The arguments are wrong.');
  const result = await executeTool('tool', {}, '/workspace', {
    tools: [{ definition, run }],
    signal: new AbortController().signal,
  });
  return result.success ? undefined : /Usage: (.*)$/.exec(result.output.error)?.[1];
}

// As in schemas of MCP servers and custom tools.
it.each([
  [{ type: 'string' }, 'tool(unit: string)'],
  [{ type: ['string', 'null'] }, 'tool(unit: null | string)'],
  [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'tool(unit: integer | string)'],
  [{ enum: ['c', 'f'] }, 'tool(unit: "c" | "f")'],
  [{}, 'tool(unit: any)'],
  [JSON.parse('{ "type": "array", "items": true, "enum": "c" }'), 'tool(unit: array)'],
  [JSON.parse('{ "items": { "properties": { "a": null } } }'), 'tool(unit: [{a?: any}])'],
])('names the types of %j in the usage [O4]', async (schema, words) => {
  expect(await usage(schema)).toBe(words);
});
