import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HttpServer } from '../../api/mcp.ts';
import { type OauthMcpServer, startOauthMcpServer } from '../../testing/oauth-mcp-server.ts';
import { type ServersUnderTest, serversUnderTest } from '../under-test.ts';

const BACK = 'http://127.0.0.1:4120/tools/sign-in';
const { signal } = new AbortController();

const at = (url: string, more: Partial<HttpServer> = {}): HttpServer => ({
  type: 'http',
  url,
  headers: {},
  enabled: true,
  timeout_seconds: 20,
  trust_read_only: false,
  ...more,
});

/** Signs in as a person who allows it. */
async function signIn({ servers }: ServersUnderTest, tracker: OauthMcpServer): Promise<void> {
  const { address } = await servers.beginSignIn('tracker', BACK);
  const { state = '', code } = Object.fromEntries(tracker.answer(address, true));
  expect(await servers.finishSignIn({ state, code })).toEqual({ server: 'tracker' });
}

const call = ({ servers }: ServersUnderTest) => servers.call('tracker', 'find', {}, signal);

it('asks nobody where to sign in before a person wants to [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  const reply = await test.start('tracker', at(tracker.url));
  expect(reply).toMatchObject({ state: 'failed', sign_in: 'needed' });
  expect(reply.failure?.message).toBe('The server "tracker" requires you to sign in.');
  expect(new Set(tracker.requests)).toEqual(new Set(['POST /mcp']));
});

it('signs in, keeps the token in a private file, and masks it in results [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', at(tracker.url));
  await signIn(test, tracker);
  const reply = await test.settled('tracker');
  expect(reply).toMatchObject({ state: 'ready', sign_in: 'signed_in' });
  expect(reply.tools.map(({ name }) => name)).toEqual(['find']);
  const { result } = await call(test);
  expect(tracker.called).toHaveLength(1);
  expect(JSON.stringify(result)).toContain('Found with [secret token]');
  const file = join(test.dataDir, 'mcp-sign-ins.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain(tracker.called[0]);
});

it('renews a token that has expired, once for all connections [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', at(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  await test.accept('tracker');
  const runs = await Promise.all([1, 2, 3].map(() => test.servers.instanceForRun('tracker', '')));
  await Promise.all(runs.map(({ instance }) => instance.tools()));
  tracker.expire();
  const before = tracker.requests.length;
  await Promise.all(
    runs.map(({ instance }) => instance.connect().then((connection) => connection.listTools())),
  );
  expect(tracker.requests.slice(before).filter((request) => request === 'POST /token')).toHaveLength(1);
  await Promise.all(runs.map(({ release }) => release()));
});

it('asks for a sign-in again when the token cannot be renewed [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', at(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  tracker.expire({ refresh: true });
  await expect(call(test)).rejects.toMatchObject({
    code: 'mcp_sign_in_needed',
    message: 'The server "tracker" no longer accepts your sign-in.',
  });
  await signIn(test, tracker);
  await test.settled('tracker');
  expect((await call(test)).result.success).toBe(true);
});

it('forgets a sign-in on request, with the server, and when its address changes [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', at(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  expect(await test.servers.signOut('tracker')).not.toHaveProperty('sign_in');
  await signIn(test, tracker);
  await test.settled('tracker');
  // The token is for one address: it goes to no other.
  await using other = await startOauthMcpServer();
  await test.servers.update('tracker', at(other.url));
  await test.servers.start('tracker');
  expect(await test.settled('tracker')).toMatchObject({ sign_in: 'needed' });
  expect(other.called).toEqual([]);
  await test.servers.remove('tracker');
  expect(readFileSync(join(test.dataDir, 'mcp-sign-ins.json'), 'utf8')).not.toContain('access-');
});

it('says that a person denied the access, and accepts an answer once [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', at(tracker.url));
  const denied = await test.servers.beginSignIn('tracker', BACK);
  const { state = '', error } = Object.fromEntries(tracker.answer(denied.address, false));
  const answer = { state, error };
  await expect(test.servers.finishSignIn(answer)).rejects.toThrow(/"tracker" failed: access_denied\.$/);
  await expect(test.servers.finishSignIn(answer)).rejects.toMatchObject({ code: 'mcp_sign_in_expired' });
  await expect(test.servers.finishSignIn({ state: 'made up', code: 'x' })).rejects.toMatchObject({
    code: 'mcp_sign_in_expired',
  });
});

it.each([
  ['authorization_endpoint', 'http://192.0.2.1/authorize'],
  ['authorization_endpoint', 'https://user:password@auth.example/authorize'],
  ['token_endpoint', 'http://192.0.2.1/token'],
  ['registration_endpoint', 'http://192.0.2.1/register'],
])('refuses a sign-in whose %s is %s [O29]', async (field, address) => {
  await using tracker = await startOauthMcpServer({ [field]: address });
  await using test = await serversUnderTest();
  await test.start('tracker', at(tracker.url));
  const signingIn = async () => {
    const begun = await test.servers.beginSignIn('tracker', BACK);
    const { state = '', code } = Object.fromEntries(tracker.answer(begun.address, true));
    await test.servers.finishSignIn({ state, code });
  };
  await expect(signingIn()).rejects.toMatchObject({ code: 'mcp_sign_in_failed' });
});

it('sends a configured header instead of signing in, and says what a server answers to it [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  const headers = { Authorization: 'Bearer wrong-token' };
  const reply = await test.start('tracker', at(tracker.url, { headers }));
  expect(reply).not.toHaveProperty('sign_in');
  expect(reply.failure?.message).toMatch(/could not be used: HTTP 401: /);
});

it('gives up on a reply without end [O29]', async () => {
  const endless = createServer((request, response) => {
    if (request.url === '/mcp') return void response.writeHead(401).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (response.write(' '.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  const { port } = endless.address() as { port: number };
  await using test = await serversUnderTest();
  await test.start('tracker', at(`http://127.0.0.1:${port}/mcp`));
  await expect(test.servers.beginSignIn('tracker', BACK)).rejects.toMatchObject({
    code: 'mcp_sign_in_failed',
  });
  endless.closeAllConnections();
  endless.close();
});
