import { expect, it } from 'vitest';
import { mcpServerRequest } from '../api/mcp.ts';
import { serversUnderTest } from './under-test.ts';

it('takes a server with a name that every object has', async () => {
  await using test = await serversUnderTest();
  const { servers } = test;
  const tool = servers.acceptedTool('constructor__read');
  await expect(tool).rejects.toMatchObject({ code: 'mcp_tool_not_accepted' });
  const server = mcpServerRequest.parse({ type: 'http', url: 'http://127.0.0.1:9/mcp' });
  expect(await servers.add('constructor', server)).toMatchObject({ name: 'constructor', tools: [] });
  expect((await servers.list()).servers).toHaveLength(1);
  expect(await servers.offered()).toEqual([]);
});
