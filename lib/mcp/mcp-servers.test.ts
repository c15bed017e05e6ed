import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { mcpServerRequest } from '../api/mcp.ts';
import { ConfigFiles } from './config-file.ts';
import { serversUnderTest } from './under-test.ts';

it('accepts a server named like an object property', async () => {
  await using test = await serversUnderTest();
  const { servers } = test;
  const tool = servers.acceptedTool('constructor__read');
  await expect(tool).rejects.toMatchObject({ code: 'mcp_tool_not_accepted' });
  const server = mcpServerRequest.parse({ type: 'http', url: 'http://127.0.0.1:9/mcp' });
  expect(await servers.add('constructor', server)).toMatchObject({ name: 'constructor', tools: [] });
  expect((await servers.list()).servers).toHaveLength(1);
  expect(await servers.offered()).toEqual([]);
});

it('names a server in the file that cannot be read, and keeps it there while the others are used', async () => {
  await using test = await serversUnderTest();
  const { servers } = test;
  const path = join(test.dataDir, 'mcp.json');
  const damaged = { command: 7 };
  const good = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
  writeFileSync(path, JSON.stringify({ mcpServers: { damaged, 'Not a name': good, good } }));
  const { servers: listed, problems } = await servers.list();
  expect(listed.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toMatchObject([
    {
      code: 'mcp_config_unreadable',
      message: expect.stringContaining('mcpServers.damaged.command: must be a string'),
    },
    {
      code: 'mcp_config_unreadable',
      message: expect.stringContaining('mcpServers.Not a name: Use lowercase'),
    },
  ]);
  const problem = problems[0];
  for (const refused of [
    () => servers.get('damaged'),
    () => servers.remove('damaged'),
    () => servers.offered(['read_file', 'damaged__*']),
    () => servers.definitions(['damaged__read']),
    () => servers.acceptedTool('damaged__read'),
  ]) {
    await expect(refused()).rejects.toMatchObject(problem ?? {});
  }
  expect(await servers.offered(['good__read'])).toEqual([]);
  const request = mcpServerRequest.parse(good);
  await expect(servers.add('damaged', request)).rejects.toMatchObject({ code: 'mcp_server_exists' });
  await servers.add('another', request);
  await servers.remove('good');
  const { mcpServers } = JSON.parse(readFileSync(path, 'utf8'));
  expect(mcpServers).toEqual({ damaged, 'Not a name': good, another: expect.objectContaining(good) });
});

it('starts no server with a configuration that is replaced in the meantime', async () => {
  await using test = await serversUnderTest();
  const { servers } = test;
  const request = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
  await servers.add('changing', mcpServerRequest.parse(request));
  const { read } = ConfigFiles.prototype;
  const disabledMeanwhile = vi.spyOn(ConfigFiles.prototype, 'read').mockImplementationOnce(async function (
    this: ConfigFiles,
  ) {
    const found = await read.call(this);
    await servers.update('changing', mcpServerRequest.parse({ ...request, enabled: false }));
    return found;
  });
  await expect(servers.start('changing')).rejects.toMatchObject({ code: 'mcp_server_disabled' });
  disabledMeanwhile.mockRestore();
});

it('enables and disables a server with the configuration that it has', async () => {
  await using test = await serversUnderTest();
  const { servers } = test;
  const config = (url: string) => mcpServerRequest.parse({ type: 'http', url });
  await servers.add('switched', config('http://127.0.0.1:9/first'));
  const server = config('http://127.0.0.1:9/second');
  await Promise.all([servers.update('switched', server), servers.setEnabled('switched', false)]);
  expect((await servers.get('switched')).server).toMatchObject({ ...server, enabled: false });
  expect(await servers.setEnabled('switched', true)).toMatchObject({ state: 'off', server });
});

it('does not replace a configuration that was changed since it was read', async () => {
  await using test = await serversUnderTest();
  const { servers } = test;
  const request = (more: object) =>
    mcpServerRequest.parse({
      type: 'http',
      url: 'http://127.0.0.1:9/mcp',
      headers: { 'X-Key': null },
      ...more,
    });
  const { hash } = await servers.add('web', request({ headers: { 'X-Key': 'a secret' } }));
  const changed = await servers.update('web', request({ timeout_seconds: 5 }), hash);
  expect(changed.hash).not.toBe(hash);
  await expect(servers.update('web', request({ timeout_seconds: 7 }), hash)).rejects.toMatchObject({
    code: 'mcp_server_changed',
    message: 'The server "web" was changed in the meantime.',
  });
  expect((await servers.get('web')).server.timeout_seconds).toBe(5);
  // The change that was already made, and a change of whatever is current.
  expect((await servers.update('web', request({ timeout_seconds: 5 }), hash)).hash).toBe(changed.hash);
  expect((await servers.update('web', request({ timeout_seconds: 7 }))).server.timeout_seconds).toBe(7);
});

it('identifies a configuration without its hidden values', async () => {
  await using test = await serversUnderTest();
  const { servers } = test;
  const request = (key: string) =>
    mcpServerRequest.parse({ type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { 'X-Key': key } });
  const { hash } = await servers.add('web', request('one'));
  expect((await servers.update('web', request('two'))).hash).toBe(hash);
});
