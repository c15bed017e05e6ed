import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../api/mcp.ts';
import { openSandbox } from '../sandbox/probe.ts';
import type { JsonObject } from '../util/json.ts';
import { openServerTools } from './run-tools.ts';
import {
  hostileServer,
  NODE_MODULES,
  npmServer,
  PLANTED,
  type ServersUnderTest,
  serverAt,
  serversUnderTest,
} from './under-test.ts';

const confined = (await openSandbox()).report.available;
const { signal } = new AbortController();

let test: ServersUnderTest;
beforeEach(async () => {
  test = await serversUnderTest({ confined });
});
afterEach(() => test[Symbol.asyncDispose]());

const newFolder = () => realpathSync(mkdtempSync(join(tmpdir(), 'loupe-mcp-folder-')));

/** Refuses a request as servers made with the TypeScript SDK do. */
const refuse = (response: ServerResponse, status: number, message: string) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));

const http = (url: string, more: Partial<HttpServer> = {}) => serverAt(url, { timeout_seconds: 2, ...more });

describe('the servers from npm', () => {
  it('lists and calls the tools of server-everything over stdio', async () => {
    const { state, tools, info } = await test.start('everything', npmServer('everything', ['stdio']));
    expect(state).toBe('ready');
    expect(info).toMatchObject({ name: expect.stringContaining('Everything'), protocol: '2025-11-25' });
    expect(tools.map(({ offered }) => offered)).toContain('everything__get_sum');
    const call = async (tool: string, args: Record<string, string | number> = {}) =>
      (await test.servers.call('everything', tool, args, signal)).result;
    expect(await call('get-sum', { a: 2, b: 40 })).toEqual({
      success: true,
      output: { text: 'The sum of 2 and 40 is 42.' },
    });
    expect(await call('get-sum', { a: 'two', b: 40 })).toMatchObject({
      success: false,
      output: { error: expect.stringContaining('a: Instance type "string" is invalid') },
    });
    expect(JSON.stringify(await call('get-tiny-image'))).toMatch(/\[Image: image\/png, \d+ kB\]/);
    expect(await call('get-structured-content', { location: 'New York' })).toMatchObject({
      output: { data: { conditions: expect.any(String) } },
    });
    expect(JSON.stringify(await call('get-resource-links', { count: 1 }))).toContain('[Resource demo://');
  });

  it('reads and writes files with server-filesystem in its folder, and nowhere else', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.txt'), 'inside');
    const more = { folders: [{ path: folder, access: 'write' as const }] };
    const { state, failure } = await test.start('files', npmServer('filesystem', [folder], more));
    expect(failure).toBeUndefined();
    expect(state).toBe('ready');
    const call = async (tool: string, args: Record<string, string>) =>
      (await test.servers.call('files', tool, args, signal)).result;
    expect(JSON.stringify(await call('read_text_file', { path: join(folder, 'a.txt') }))).toContain('inside');
    expect(await call('write_file', { path: join(folder, 'b.txt'), content: 'new' })).toMatchObject({
      success: true,
    });
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('new');
    expect(await call('read_text_file', { path: '/etc/passwd' })).toMatchObject({ success: false });
  });

  it('keeps the memory of server-memory in its own folder', async () => {
    const memory = npmServer('memory', [], {
      env: { MEMORY_FILE_PATH: confined ? '/home/server/memory.json' : join(test.dataDir, 'memory.json') },
    });
    await test.start('memory', memory);
    const entity = { name: 'Loupe', entityType: 'program', observations: ['shows runs'] };
    await test.servers.call('memory', 'create_entities', { entities: [entity] }, signal);
    await test.servers.stop('memory');
    const { result } = await test.servers.call('memory', 'read_graph', {}, signal);
    expect(JSON.stringify(result)).toContain('shows runs');
  });

  it('calls server-everything over streamable HTTP', async () => {
    const port = await freePort();
    const file = join(NODE_MODULES, '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
    const child = spawn(process.execPath, [file, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      await once(child.stderr, 'data');
      await expect
        .poll(async () => (await fetch(`http://127.0.0.1:${port}/mcp`).catch(() => undefined))?.status)
        .toBeDefined();
      const { state, failure } = await test.start(
        'web',
        http(`http://127.0.0.1:${port}/mcp`, { timeout_seconds: 20 }),
      );
      expect(failure).toBeUndefined();
      expect(state).toBe('ready');
      const { result } = await test.servers.call('web', 'echo', { message: 'over HTTP' }, signal);
      expect(result.output).toEqual({ text: 'Echo: over HTTP' });
    } finally {
      child.kill();
    }
  });
});

it('lets a call end that takes longer than an idle server is kept, and ends the server after that', async () => {
  await using idle = await serversUnderTest({ confined, idleMs: 50 });
  await idle.servers.add('everything', npmServer('everything', ['stdio']));
  const args = { duration: 0.5, steps: 1 };
  const { result } = await idle.servers.call('everything', 'trigger-long-running-operation', args, signal);
  expect(result).toMatchObject({ success: true });
  await expect.poll(async () => (await idle.servers.get('everything')).state).toBe('off');
});

describe.skipIf(!confined)('a confined server', () => {
  it('gets its own variables only, and its secrets are masked', async () => {
    const env = { API_KEY: `\${${PLANTED.name}}` };
    await test.start('everything', npmServer('everything', ['stdio'], { env }));
    const { result } = await test.servers.call('everything', 'get-env', {}, signal);
    const seen = JSON.parse(String((result.output as { text: string }).text));
    expect(seen).toEqual({
      HOME: '/home/server',
      PATH: expect.any(String),
      LANG: 'C.UTF-8',
      API_KEY: `[secret ${PLANTED.name}]`,
    });
  });

  it('cannot see or reach anything else [O27]', async () => {
    const folder = newFolder();
    const listener = createTcpServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const probe = [
      `cat ${test.dataDir}/mcp.json`,
      'ls /home /root /var',
      `touch ${folder}/written`,
      `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`,
    ].join('; ');
    const { failure } = await test.start('shell', {
      ...hostileServer('plain'),
      command: 'bash',
      args: ['-c', `(${probe}) 1>&2; exit 5`],
      folders: [{ path: folder, access: 'read' }],
    });
    expect(failure?.message).toContain('exit code 5');
    expect(failure?.stderr).toContain('No such file or directory');
    expect(failure?.stderr).toContain('Read-only file system');
    expect(failure?.stderr).not.toContain('reached');
    listener.close();
  });

  it('ends with everything it started, even when Loupe closes it', async () => {
    const mark = `${process.pid}${Date.now() % 100_000}`;
    await test.start('parent', hostileServer('leaves-children', [mark]));
    await expect.poll(() => processesWith(`sleep 31${mark}`)).toBe(1);
    await test.servers.stop('parent');
    await expect.poll(() => processesWith(`sleep 31${mark}`)).toBe(0);
  });

  it('keeps values of variables out of process lists', async () => {
    await test.start(
      'everything',
      npmServer('everything', ['stdio'], { env: { API_KEY: `\${${PLANTED.name}}` } }),
    );
    const lists = execFileSync('ps', ['-eww', '-o', 'args']).toString();
    expect(lists).toContain('server-everything');
    expect(lists).not.toContain(PLANTED.value);
  });

  it('gets no folder that contains too much, or the data of Loupe', async () => {
    for (const path of ['/', '/etc', test.dataDir]) {
      const more = { folders: [{ path, access: 'read' as const }] };
      const { failure } = await test.start(`at_${path.length}`, hostileServer('plain', [], more));
      expect(failure?.message).toMatch(/cannot get the folder/);
    }
  });
});

describe('a server at an address', () => {
  let asked: string[];
  const close: (() => void)[] = [];
  beforeEach(() => {
    asked = [];
  });
  afterEach(() => {
    for (const each of close.splice(0)) each();
  });

  async function listen(answer: RequestListener): Promise<string> {
    const listener = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    close.push(() => {
      listener.closeAllConnections();
      listener.close();
    });
    return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
  }

  it('is asked at the entered address only: redirects are refused [O27]', async () => {
    const other = await listen((_, response) => response.end('{}'));
    const first = asked.length;
    for (const status of [301, 302, 307, 308]) {
      for (const location of [other, '/elsewhere']) {
        const url = await listen((_, response) => response.writeHead(status, { location }).end());
        const { failure } = await test.start(
          `r_${status}_${location.length}`,
          http(url, { headers: { authorization: 'Bearer x' } }),
        );
        expect(failure?.message).toMatch(/redirects to .*which was not followed/);
      }
    }
    expect(asked.slice(first).filter((each) => each.includes('elsewhere'))).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(['POST /mcp']));
  });

  it.each([
    [404, 'Session not found'],
    [400, 'Bad Request: No valid session ID provided'],
    [400, 'Bad Request: Server not initialized'],
  ])('begins a new session when the server has ended the old one: HTTP %i, %s', async (status, message) => {
    let session = 0;
    const url = await listen(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(request.method === 'GET' ? 405 : 200).end();
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const headers = { 'content-type': 'application/json', 'mcp-session-id': `session-${session}` };
      const answer = (result: object) =>
        response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (method === 'initialize') {
        const serverInfo = { name: 'web', version: '1' };
        return answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
      }
      if (request.headers['mcp-session-id'] !== `session-${session}`)
        return refuse(response, status, message);
      if (id === undefined) return response.writeHead(202).end();
      if (method === 'tools/list')
        return answer({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
      return answer({ content: [{ type: 'text', text: `in session ${session}` }] });
    });
    await test.start('web', http(url));
    await test.accept('web');
    const opened = await openServerTools(test.servers, ['web__act'], { workspace: '' });
    const call = () => opened.tools[0]?.run({}, { workspace: '', signal });
    expect(await call()).toMatchObject({ output: { text: 'in session 0' } });
    session += 1;
    await expect(call()).rejects.toMatchObject({
      code: 'mcp_session_ended',
      message: expect.stringContaining(`Its session has ended (HTTP ${status})`),
      hint: expect.stringContaining('Nothing was carried out'),
    });
    expect(await call()).toMatchObject({
      output: { text: 'in session 1' },
      note: expect.stringContaining('was restarted'),
    });
    await opened.close();
  });

  it('stays in its session after a request that the server refused for another reason', async () => {
    const sessions = new Set<unknown>();
    const url = await listen(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(request.method === 'GET' ? 405 : 200).end();
      const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const headers = { 'content-type': 'application/json', 'mcp-session-id': `session-${sessions.size}` };
      const answer = (result: object) =>
        response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (method === 'initialize') {
        const serverInfo = { name: 'web', version: '1' };
        return answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
      }
      if (id === undefined) return response.writeHead(202).end();
      if (method === 'tools/list')
        return answer({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
      sessions.add(request.headers['mcp-session-id']);
      if (params.arguments.bad) return refuse(response, 400, 'Bad Request: The arguments are bad');
      return answer({ content: [{ type: 'text', text: 'done' }] });
    });
    await test.start('web', http(url));
    await test.accept('web');
    const opened = await openServerTools(test.servers, ['web__act'], { workspace: '' });
    const call = (args: JsonObject) => opened.tools[0]?.run(args, { workspace: '', signal });
    await expect(call({ bad: true })).rejects.toMatchObject({ code: 'mcp_call_failed' });
    expect(await call({})).toEqual({ success: true, tool: 'web__act', output: { text: 'done' } });
    expect(sessions.size).toBe(1);
    await opened.close();
  });

  it('names the address of a redirect without the key that it repeats', async () => {
    const url = await listen((request, response) =>
      response.writeHead(307, { location: `/x${request.url}` }).end(),
    );
    const { failure } = await test.start('moved', http(`${url}?key=\${${PLANTED.name}}`));
    expect(failure?.message).toContain('redirects to /x/mcp?key=[secret');
    expect(failure?.message).not.toContain(PLANTED.value);
  });

  it.each([
    ['a body without end', 'application/json', 'x'.repeat(100_000)],
    ['an event without end', 'text/event-stream', `data: ${'x'.repeat(100_000)}\n`],
    ['lines without end', 'text/event-stream', ': nothing\n'.repeat(10_000)],
  ])('is cut off: %s', async (_, type, piece) => {
    const url = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      const more = () => {
        while (!response.destroyed && response.write(piece));
        response.once('drain', more);
      };
      more();
    });
    const { state, failure } = await test.start('endless', http(url));
    expect(state).toBe('failed');
    expect(failure?.message).toMatch(/more than 4 MB|too much in one second/);
  });

  it.each([
    ['a status', (_: unknown, response) => response.writeHead(403).end('who are you?')],
    [
      'another type',
      (_: unknown, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'),
    ],
    [
      'broken JSON',
      (_: unknown, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"json'),
    ],
    ['a closed connection', (_: unknown, response) => response.destroy()],
  ] satisfies [string, RequestListener][])('fails with a reason: %s', async (_, answer) => {
    const { state, failure } = await test.start('odd', http(await listen(answer)));
    expect(state).toBe('failed');
    expect(failure?.message).toMatch(/^The server "odd" could not be used: .{5,}/);
    expect(failure?.message.length).toBeLessThan(700);
  });

  it('gets headers whose values are filled in, and never shows them', async () => {
    const headers: unknown[] = [];
    const url = await listen((request, response) => {
      headers.push(request.headers.authorization);
      response.writeHead(500).end(`You sent ${request.headers.authorization}`);
    });
    const reply = await test.start(
      'token',
      http(url, { headers: { Authorization: `Bearer \${${PLANTED.name}}` } }),
    );
    expect(headers[0]).toBe(`Bearer ${PLANTED.value}`);
    expect(JSON.stringify(reply)).not.toContain(PLANTED.value);
    expect(reply.failure?.message).toContain('[secret');
  });
});

describe('the tools of a run', () => {
  it('are the accepted ones, from its own processes', async () => {
    await test.start('everything', npmServer('everything', ['stdio']));
    await test.accept('everything');
    const names = ['read_file', 'everything__echo', 'everything__get_sum'];
    const opened = await openServerTools(test.servers, names, { workspace: '' });
    expect(opened.tools.map(({ definition }) => definition.function.name)).toEqual(names.slice(1));
    expect(opened.servers).toMatchObject([{ server: 'everything', version: expect.any(String) }]);
    expect((await test.servers.get('everything')).runs).toBe(1);
    const result = await opened.tools[0]?.run({ message: 'hi' }, { workspace: '', signal });
    expect(result).toEqual({ success: true, tool: 'everything__echo', output: { text: 'Echo: hi' } });
    await opened.close();
    expect((await test.servers.get('everything')).runs).toBe(0);
  });

  it('are refused if a server changed one since it was accepted [O21]', async () => {
    await test.start('hostile', hostileServer('plain'));
    await test.accept('hostile');
    await test.servers.update('hostile', hostileServer('claims-read-only'));
    const opening = openServerTools(test.servers, ['hostile__act'], { workspace: '' });
    await expect(opening).rejects.toMatchObject({
      code: 'mcp_tool_changed',
      message: expect.stringContaining('hostile__act'),
    });
    expect((await test.servers.get('hostile')).runs).toBe(0);
  });

  it.each([
    ['only-task', 'unusable', /^Tools of the server "hostile" can no longer .* hostile__act: .* tasks\.$/],
    ['runs-no-tasks', 'missing', /^The server "hostile" no longer has these accepted tools: hostile__act\.$/],
  ])(
    'are refused if they can no longer be used, until they are removed: %s',
    async (now, status, message) => {
      await test.start('hostile', hostileServer('plain'));
      await test.accept('hostile');
      await test.servers.update('hostile', hostileServer(now));
      const open = () => openServerTools(test.servers, ['hostile__act'], { workspace: '' });
      await expect(open()).rejects.toMatchObject({
        code: 'mcp_tool_changed',
        message: expect.stringMatching(message),
        hint: 'Remove them on the Tools page, or choose other tools.',
      });
      const { tools } = await test.servers.get('hostile');
      expect(tools.filter(({ was_accepted }) => was_accepted)).toMatchObject([{ name: 'act', status }]);
      const accepted = await test.servers.accept('hostile', []);
      expect(accepted.tools.some(({ was_accepted }) => was_accepted)).toBe(false);
      expect(await test.servers.definitions()).toEqual([]);
      await expect(open()).rejects.toMatchObject({ code: 'mcp_tool_not_accepted' });
    },
  );

  it('are refused if their server is disabled, removed or not accepted', async () => {
    const { server } = await test.start('hostile', hostileServer('plain'));
    const open = () => openServerTools(test.servers, ['hostile__act'], { workspace: '' });
    await expect(open()).rejects.toMatchObject({ code: 'mcp_tool_not_accepted' });
    await test.accept('hostile');
    await test.servers.update('hostile', { ...server, enabled: false });
    await expect(open()).rejects.toMatchObject({ code: 'mcp_server_disabled' });
    await test.servers.remove('hostile');
    await expect(open()).rejects.toMatchObject({ code: 'mcp_tool_not_accepted' });
  });

  it('reach the folder of the run where the server may', async () => {
    const workspace = newFolder();
    writeFileSync(join(workspace, 'note.txt'), 'from the run');
    const server = npmServer('filesystem', [workspace], { workspace: 'read', folders: [] });
    // Without a run there is no such folder.
    await test.start(
      'files',
      confined ? { ...server, args: [...server.args.slice(0, 1), '/usr/share'] } : server,
    );
    await test.accept('files');
    await test.servers.update('files', server);
    const opened = await openServerTools(test.servers, ['files__read_text_file', 'files__write_file'], {
      workspace,
    });
    const [read, write] = opened.tools;
    const path = join(workspace, 'note.txt');
    expect(JSON.stringify(await read?.run({ path }, { workspace, signal }))).toContain('from the run');
    if (confined) {
      expect(await write?.run({ path, content: 'changed' }, { workspace, signal })).toMatchObject({
        success: false,
      });
    }
    await opened.close();
  });
});

describe('the files of the configuration', () => {
  it('are readable by their owner only, and hold references instead of values', async () => {
    await test.start(
      'everything',
      npmServer('everything', ['stdio'], { env: { API_KEY: `\${${PLANTED.name}}` } }),
    );
    await test.accept('everything');
    for (const name of ['mcp.json', 'mcp-tools.json']) {
      expect(statSync(join(test.dataDir, name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(test.dataDir, name), 'utf8')).not.toContain(PLANTED.value);
    }
    expect(readFileSync(join(test.dataDir, 'mcp.json'), 'utf8')).toContain(`\${${PLANTED.name}}`);
  });

  it('are reported if they are damaged', async () => {
    writeFileSync(join(test.dataDir, 'mcp.json'), '{"mcpServers": {"a"');
    await expect(test.servers.list()).rejects.toMatchObject({
      code: 'mcp_config_unreadable',
      message: expect.stringContaining('not JSON'),
    });
  });
});

/** The number of processes with a text in their command line. */
async function processesWith(text: string): Promise<number> {
  let found = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.replaceAll('\0', ' ').trim() === text) found++;
  }
  return found;
}

async function freePort(): Promise<number> {
  const listener = createTcpServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}
