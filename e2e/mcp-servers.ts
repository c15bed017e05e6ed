import { expect } from '@playwright/test';
import type { LoupeServer } from './loupe-server.ts';

/** Adds a server through the API, starts it, and accepts its tools. */
export async function addAndAccept(loupe: LoupeServer, name: string, config: object): Promise<void> {
  const path = `/api/mcp/servers/${name}`;
  const added = await loupe.request('/api/mcp/servers', { json: { name, server: config } });
  expect(added.status, await added.clone().text()).toBe(201);
  await loupe.request(`${path}/start`, { json: {} });
  const read = async () =>
    (await (await loupe.request(path)).json()) as { state: string; tools: { name: string; hash: string }[] };
  await expect.poll(async () => (await read()).state).toBe('ready');
  const tools = (await read()).tools.map((each) => ({ name: each.name, hash: each.hash }));
  expect((await loupe.request(`${path}/accept`, { json: { tools } })).status).toBe(200);
}
