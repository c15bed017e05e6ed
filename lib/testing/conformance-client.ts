import { z } from 'zod';
import { finishMcpSignInRequest } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import { callServerTool } from '../mcp/call-tool.ts';
import type { ServerTool } from '../mcp/tool-definition.ts';
import { serverAt, serversUnderTest } from '../mcp/under-test.ts';
import type { AskOperator, ToolResult } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import { presetContent } from './preset-content.ts';

// The client that `@modelcontextprotocol/conformance` starts with the address of its server: it lists the tools and calls
// each of them once, as a run does, for a person who accepts every form with its suggested values, and signs in when
// asked to.

/** How often the person answers before giving up. */
const MAX_SIGN_INS = 3;

const ARGUMENTS: Readonly<Record<string, JsonObject>> = { add_numbers: { a: 5, b: 3 } };

const url = process.argv.at(-1) ?? '';
/** A scenario can name a client that is registered already. */
const client = z
  .object({ client_id: z.string(), client_secret: z.string() })
  .safeParse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'));
const { signal } = new AbortController();
const ask: AskOperator = async ({ request }) =>
  request.kind === 'form'
    ? { action: 'accept', content: presetContent(request.fields) }
    : { action: 'decline' };

let signIns = 0;

/** Signs in like a browser: opens the address, and returns what the authorization server sends it back with. */
async function signIn(): Promise<void> {
  signIns++;
  const { address } = await test.servers.beginSignIn('conformance', 'http://127.0.0.1:4120/tools/sign-in');
  const { headers } = await fetch(address, { redirect: 'manual' });
  const back = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams);
  await test.servers.finishSignIn(finishMcpSignInRequest.parse(back));
}

async function ready(): Promise<void> {
  const { state, failure, sign_in } = await test.settled('conformance');
  if (state === 'ready') return;
  if (sign_in !== 'needed' || signIns === MAX_SIGN_INS) throw new Error(failure?.message);
  await signIn();
  await ready();
}

await using test = await serversUnderTest();
await test.start('conformance', serverAt(url, client.success ? { oauth: client.data } : {}));
await ready();
await test.servers.stop('conformance');
const { instance, release } = await test.servers.instanceForRun('conformance', '');
for (const tool of await instance.tools()) {
  const result = await called(tool);
  if (!result.success) throw new Error(`${tool.name}: ${result.output.error}`);
}
await release();

async function called(tool: ServerTool): Promise<ToolResult> {
  try {
    return await callServerTool(instance, tool, ARGUMENTS[tool.name] ?? {}, { signal, ask });
  } catch (error) {
    const isNeeded = error instanceof AppError && error.code === 'mcp_sign_in_needed';
    if (!isNeeded || signIns === MAX_SIGN_INS) throw error;
    await signIn();
    return called(tool);
  }
}
