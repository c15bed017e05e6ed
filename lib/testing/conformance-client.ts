import { presetContent } from '../events/entered-content.ts';
import { callServerTool } from '../mcp/call-tool.ts';
import { serversUnderTest } from '../mcp/under-test.ts';
import type { AskOperator } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';

// The client that `@modelcontextprotocol/conformance` starts with the address of its server: it lists the tools and calls
// each of them once, as a run does, for a person who accepts every form as it is suggested.

const ARGUMENTS: Readonly<Record<string, JsonObject>> = { add_numbers: { a: 5, b: 3 } };

const url = process.argv.at(-1) ?? '';
const { signal } = new AbortController();
const ask: AskOperator = async ({ request }) =>
  request.kind === 'form'
    ? { action: 'accept', content: presetContent(request.fields) }
    : { action: 'decline' };

await using test = await serversUnderTest();
const { state, failure } = await test.start('conformance', {
  type: 'http',
  url,
  headers: {},
  enabled: true,
  timeout_seconds: 20,
  trust_read_only: false,
});
if (state !== 'ready') throw new Error(failure?.message);
await test.servers.stop('conformance');
const { instance, release } = await test.servers.instanceForRun('conformance', '');
for (const tool of await instance.tools()) {
  const result = await callServerTool(instance, tool, ARGUMENTS[tool.name] ?? {}, { signal, ask });
  if (!result.success) throw new Error(`${tool.name}: ${result.output.error}`);
}
await release();
