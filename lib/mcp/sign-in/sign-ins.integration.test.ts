import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type OauthMcpServer, startOauthMcpServer } from '../../testing/oauth-mcp-server.ts';
import { hostileServer, PLANTED, type ServersUnderTest, serverAt, serversUnderTest } from '../under-test.ts';

const BACK = 'http://127.0.0.1:4120/tools/sign-in';
const { signal } = new AbortController();

/** Signs in as a person who grants access. */
async function signIn({ servers }: ServersUnderTest, tracker: OauthMcpServer): Promise<void> {
  const { address } = await servers.beginSignIn('tracker', BACK);
  const { state = '', code } = Object.fromEntries(tracker.answer(address, true));
  expect(await servers.finishSignIn({ state, code })).toEqual({ server: 'tracker' });
}

/** The file that keeps them. */
const signIns = ({ dataDir }: ServersUnderTest): unknown =>
  JSON.parse(readFileSync(join(dataDir, 'mcp-sign-ins.json'), 'utf8'));

const call = ({ servers }: ServersUnderTest) => servers.call('tracker', 'find', {}, signal);

it('asks nobody where to sign in before a person wants to [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  const reply = await test.start('tracker', serverAt(tracker.url));
  expect(reply).toMatchObject({ state: 'failed', sign_in: 'needed' });
  expect(reply.failure?.message).toBe('The server "tracker" requires you to sign in.');
  expect(new Set(tracker.requests)).toEqual(new Set(['POST /mcp']));
});

it('signs in, keeps the token in a private file, and masks it in results [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
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
  await test.start('tracker', serverAt(tracker.url));
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

it('does not renew a token again for a refusal of the one before that comes late [O29]', async () => {
  const { promise: isRenewed, resolve: renewed } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  let first = true;
  await using tracker = await startOauthMcpServer(
    {},
    {
      onRefused: async (method) => {
        if (method !== 'tools/list' || !first) return;
        first = false;
        held();
        await isRenewed;
      },
    },
  );
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  await test.accept('tracker');
  const { instance, release } = await test.servers.instanceForRun('tracker', '');
  const connection = await instance.connect();
  tracker.expire();
  const before = tracker.requests.length;
  const late = connection.listTools();
  await isHeld;
  await connection.listTools();
  renewed();
  expect(await late).toHaveLength(1);
  expect(tracker.requests.slice(before).filter((request) => request === 'POST /token')).toHaveLength(1);
  await release();
});

it('asks for a sign-in again when the token cannot be renewed [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
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
  await test.start('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  expect(await test.servers.signOut('tracker')).not.toHaveProperty('sign_in');
  await signIn(test, tracker);
  await test.settled('tracker');
  // The token is for one address and is sent to no other.
  await using other = await startOauthMcpServer();
  await test.servers.update('tracker', serverAt(other.url));
  expect(JSON.stringify(signIns(test))).not.toContain('access-');
  await test.servers.start('tracker');
  expect(await test.settled('tracker')).toMatchObject({ sign_in: 'needed' });
  expect(other.called).toEqual([]);
  await test.servers.update('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  await test.servers.remove('tracker');
  expect(JSON.stringify(signIns(test))).not.toContain('access-');
});

it('fails only the servers that may have a sign-in if the file with them cannot be read', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  await test.servers.stop('tracker');
  await test.servers.add('program', hostileServer('quiet'));
  await test.servers.add('keyed', serverAt(tracker.url, { headers: { Authorization: 'Bearer abcdefgh' } }));
  writeFileSync(join(test.dataDir, 'mcp-sign-ins.json'), '{"servers": {');
  const { servers } = await test.servers.list();
  expect(servers.map(({ name, failure }) => [name, failure?.message])).toEqual([
    ['tracker', expect.stringMatching(/mcp-sign-ins\.json cannot be read: This is not JSON/)],
    ['program', undefined],
    ['keyed', undefined],
  ]);
  // Nothing is removed in part.
  await expect(test.servers.remove('tracker')).rejects.toMatchObject({ code: 'mcp_config_unreadable' });
  expect((await test.servers.list()).servers).toHaveLength(3);
  await expect(test.servers.remove('program')).resolves.toEqual({ removed: 'program' });
});

it('says that a person denied the access, and accepts an answer once [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  const denied = await test.servers.beginSignIn('tracker', BACK);
  const { state = '', error } = Object.fromEntries(tracker.answer(denied.address, false));
  const answer = { state, error };
  await expect(test.servers.finishSignIn(answer)).rejects.toThrow(/"tracker" failed: access_denied\.$/);
  await expect(test.servers.finishSignIn(answer)).rejects.toMatchObject({ code: 'mcp_sign_in_expired' });
  await expect(test.servers.finishSignIn({ state: 'made up', code: 'x' })).rejects.toMatchObject({
    code: 'mcp_sign_in_expired',
  });
});

it('forgets a sign-in for good while its token is being renewed [O29]', async () => {
  await using test = await serversUnderTest();
  await using tracker = await startOauthMcpServer(
    {},
    {
      onToken: async (form) => {
        if (form.get('grant_type') === 'refresh_token') await test.servers.signOut('tracker');
        return undefined;
      },
    },
  );
  await test.start('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  const { instance, release } = await test.servers.instanceForRun('tracker', '');
  const connection = await instance.connect();
  tracker.expire();
  await expect(connection.listTools()).rejects.toMatchObject({ code: 'mcp_sign_in_needed' });
  expect(signIns(test)).toEqual({ servers: {} });
  await release();
});

it('keeps no sign-in for a server that was removed or changed meanwhile [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  const begin = async () =>
    Object.fromEntries(tracker.answer((await test.servers.beginSignIn('tracker', BACK)).address, true));
  const { state = '', code } = await begin();
  await test.servers.update('tracker', serverAt(`${tracker.url}?other`));
  await expect(test.servers.finishSignIn({ state, code })).rejects.toMatchObject({
    code: 'mcp_sign_in_expired',
    message: 'This sign-in has expired, or it was completed before.',
  });
  await test.servers.update('tracker', serverAt(tracker.url));
  const second = await begin();
  await test.servers.remove('tracker');
  await test.servers.add('tracker', serverAt(tracker.url));
  await expect(
    test.servers.finishSignIn({ state: second.state ?? '', code: second.code }),
  ).rejects.toMatchObject({ code: 'mcp_sign_in_expired' });
  expect(existsSync(join(test.dataDir, 'mcp-sign-ins.json'))).toBe(false);
});

it('keeps no token that is granted while the address of its server changes [O29]', async () => {
  await using test = await serversUnderTest();
  await using tracker = await startOauthMcpServer(
    {},
    {
      onToken: async () => {
        await test.servers.update('tracker', serverAt(`${tracker.url}?other`));
        return { status: 200, body: { access_token: 'abc', token_type: 'Bearer' } };
      },
    },
  );
  await test.start('tracker', serverAt(tracker.url));
  await expect(signIn(test, tracker)).rejects.toMatchObject({
    code: 'mcp_sign_in_expired',
    message: 'The address of the server "tracker" has changed since this sign-in was begun.',
  });
  expect(existsSync(join(test.dataDir, 'mcp-sign-ins.json'))).toBe(false);
});

it.each([
  [
    'a refused client',
    401,
    { error: 'invalid_client', error_description: 'Not 5ecret-of-the-app!' },
    /failed: Not \[secret client_secret\]!$/,
  ],
  [
    'a token of two lines',
    200,
    { access_token: 'a\nb', token_type: 'Bearer' },
    /a token that cannot be sent\.$/,
  ],
  [
    'a huge token',
    200,
    { access_token: 'a'.repeat(50_000), token_type: 'Bearer' },
    /a token that cannot be sent\.$/,
  ],
  [
    'a token of another type',
    200,
    { access_token: 'abc', token_type: 'DPoP' },
    /a token that cannot be sent\.$/,
  ],
  ['no token', 200, { error: 'server_error' }, /failed: server_error\.$/],
] as const)('reports %s once, without secrets and without a log [O29]', async (_, status, body, message) => {
  await using tracker = await startOauthMcpServer({}, { onToken: async () => ({ status, body }) });
  await using test = await serversUnderTest();
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const oauth = { client_id: 'mine', client_secret: '5ecret-of-the-app' };
  await test.start('tracker', serverAt(tracker.url, { oauth }));
  const { address } = await test.servers.beginSignIn('tracker', BACK);
  const { state = '', code } = Object.fromEntries(tracker.answer(address, true));
  await expect(test.servers.finishSignIn({ state, code })).rejects.toThrow(message);
  expect(tracker.requests.filter((request) => request === 'POST /token')).toHaveLength(1);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

it('leaves the secret of an own app in the configuration, and renews with it [O29]', async () => {
  const sent: (string | null)[] = [];
  await using tracker = await startOauthMcpServer(
    { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    {
      onToken: async (form) => {
        sent.push(form.get('client_secret'));
        return undefined;
      },
    },
  );
  await using test = await serversUnderTest();
  const oauth = { client_id: 'mine', client_secret: `\${${PLANTED.name}}` };
  await test.start('tracker', serverAt(tracker.url, { oauth }));
  await signIn(test, tracker);
  await test.settled('tracker');
  expect(JSON.stringify(signIns(test))).not.toContain(PLANTED.value);
  tracker.expire();
  expect((await call(test)).result.success).toBe(true);
  expect(sent).toEqual([PLANTED.value, PLANTED.value]);
});

it('offers a sign-in for the permissions that a call turned out to need [O29]', async () => {
  await using tracker = await startOauthMcpServer({}, { missingScope: 'issues:write' });
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  await expect(call(test)).rejects.toMatchObject({ code: 'mcp_sign_in_needed' });
  expect(await test.servers.get('tracker')).toMatchObject({
    sign_in: 'needed',
    failure: { message: 'The server "tracker" needs more permissions.' },
  });
  const { address } = await test.servers.beginSignIn('tracker', BACK);
  expect(new URL(address).searchParams.get('scope')).toBe('issues:write');
  await signIn(test, tracker);
  await test.settled('tracker');
  expect(await test.servers.get('tracker')).toMatchObject({ sign_in: 'signed_in' });
});

it('keeps a sign-in that cannot be renewed for now [O29]', async () => {
  let isDown = false;
  await using tracker = await startOauthMcpServer(
    {},
    { onToken: async () => (isDown ? { status: 503, body: '<h1>Later</h1>' } : undefined) },
  );
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  await test.settled('tracker');
  tracker.expire();
  isDown = true;
  await expect(call(test)).rejects.toMatchObject({
    code: 'mcp_sign_in_failed',
    message: 'Your sign-in at "tracker" could not be renewed: server_error.',
  });
  isDown = false;
  expect((await call(test)).result.success).toBe(true);
});

it('registers again after an abandoned sign-in [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  await signIn(test, tracker);
  const client = async () =>
    new URL((await test.servers.beginSignIn('tracker', BACK)).address).searchParams.get('client_id');
  expect([await client(), await client()]).toEqual(['loupe-client-1', 'loupe-client-2']);
});

it('refuses an address of a megabyte, and names what else is wrong with one [O29]', async () => {
  const begin = async (endpoint: string) => {
    await using tracker = await startOauthMcpServer({ authorization_endpoint: endpoint });
    await using test = await serversUnderTest();
    await test.start('tracker', serverAt(tracker.url));
    return await test.servers.beginSignIn('tracker', BACK);
  };
  await expect(begin(`https://auth.example/${'a'.repeat(500_000)}`)).rejects.toThrow(/too long\.$/);
  await expect(begin('https://me:pw@auth.example/')).rejects.toThrow(
    /names https:\/\/auth\.example with a name or a password in the address\.$/,
  );
});

it.each([
  ['authorization_endpoint', 'http://192.0.2.1/authorize'],
  ['authorization_endpoint', 'https://user:password@auth.example/authorize'],
  ['token_endpoint', 'http://192.0.2.1/token'],
  ['registration_endpoint', 'http://192.0.2.1/register'],
])('refuses a sign-in whose %s is %s [O29]', async (field, address) => {
  await using tracker = await startOauthMcpServer({ [field]: address });
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
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
  const reply = await test.start('tracker', serverAt(tracker.url, { headers }));
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
  await test.start('tracker', serverAt(`http://127.0.0.1:${port}/mcp`));
  await expect(test.servers.beginSignIn('tracker', BACK)).rejects.toMatchObject({
    code: 'mcp_sign_in_failed',
  });
  endless.closeAllConnections();
  endless.close();
});

it('names the host that is asked for the token if it is another than the one to sign in at [O29]', async () => {
  await using tracker = await startOauthMcpServer();
  await using test = await serversUnderTest();
  await test.start('tracker', serverAt(tracker.url));
  expect(await test.servers.beginSignIn('tracker', BACK)).not.toHaveProperty('token_host');
  const authorization_endpoint = 'https://honest.example/authorize';
  await using posing = await startOauthMcpServer({ authorization_endpoint });
  await test.servers.update('tracker', serverAt(posing.url));
  const { address, token_host } = await test.servers.beginSignIn('tracker', BACK);
  expect(address).toContain('https://honest.example/authorize?');
  expect(token_host).toBe(new URL(posing.url).host);
});
