import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Challenges } from './challenges.ts';
import { type Challenge, clientBearer, proofKey } from './proof.ts';
import { isListenerOf, ProvenServer } from './proven-server.ts';

const token = 'operator-token-0123456789abcdef';

/** A listener that records everything it receives. */
async function listen(answer: RequestListener) {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    received.push(await everythingIn(request));
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function everythingIn(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return [request.method, request.url, ...request.rawHeaders, body].join('\n');
}

function nonceIn(request: IncomingMessage): string {
  return new URL(request.url ?? '', 'http://x').searchParams.get('nonce') ?? '';
}

/** Answers the handshake like Loupe, for a given port. */
function honest(challenges: Challenges, portOf: () => number): RequestListener {
  return (request, response) => {
    const listener = `127.0.0.1:${portOf()}`;
    if (request.url?.startsWith('/api/handshake')) {
      response.end(JSON.stringify(challenges.answer(nonceIn(request), listener)));
      return;
    }
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    response.writeHead(challenges.accepts(bearer, listener) ? 200 : 401).end('answer');
  };
}

const newChallenges = (now = () => 0) => new Challenges({ token, now });

describe('a server that requests are sent to', () => {
  it('gets requests with a proof, and never the token', async () => {
    const challenges = newChallenges();
    using server = await listen(honest(challenges, () => server.port));
    const client = new ProvenServer({ url: server.url, token });
    const answer = await client.fetch('/api/runs', { method: 'POST', body: 'a task' });
    expect([answer.status, await answer.text()]).toEqual([200, 'answer']);
    expect((await client.fetch('/api/runs')).status).toBe(200);
    expect(server.received).toHaveLength(3);
    expect(server.received.join('\n')).not.toContain(token);
  });

  it.each([
    ['answers with nothing of Loupe', (_, response) => response.end('<html>')],
    ['answers without end', (_, response) => response.write('x'.repeat(100_000))],
    ['claims to be signed in', (_, response) => response.end('{"program":"loupe","signed_in":true}')],
    [
      'makes a proof up',
      (_, response) => response.end('{"program":"loupe","nonce":"1-x","listener":"127.0.0.1:1","proof":"x"}'),
    ],
    ['answers with nothing', (_, response) => response.end()],
    ['answers with no object', (_, response) => response.end('null')],
    [
      'answers with a number for a proof',
      (_, response) => response.end('{"nonce":"1-x","listener":"127.0.0.1:1","proof":1}'),
    ],
    ['leads elsewhere', (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    [
      'returns the proof for another token',
      (request, response) => {
        const challenges = new Challenges({ token: `${token}x`, now: () => 0 });
        const port = request.socket.localPort;
        response.end(JSON.stringify(challenges.answer(nonceIn(request), `127.0.0.1:${port}`)));
      },
    ],
  ] satisfies [string, RequestListener][])('learns nothing when it %s', async (_, answer) => {
    using hostile = await listen(answer);
    const client = new ProvenServer({ url: hostile.url, token });
    await expect(client.fetch('/api/runs', { method: 'POST', body: 'a secret task' })).rejects.toThrow(
      /did not prove that it knows the operator token|fetch failed/,
    );
    expect(hostile.received).toHaveLength(1);
    expect(hostile.received.join('\n')).toMatch(/^GET\n\/api\/handshake\?nonce=[\w-]{43}\n/);
    expect(hostile.received.join('\n').toLowerCase()).not.toMatch(/secret|authorization|operator-token/);
  });

  it('learns nothing when it relays the handshake to a Loupe on another port', async () => {
    const challenges = newChallenges();
    using loupe = await listen(honest(challenges, () => loupe.port));
    using hostile = await listen(async (request, response) => {
      const answer = await fetch(`${loupe.url}${request.url}`);
      response.end(await answer.text());
    });
    const client = new ProvenServer({ url: hostile.url, token });
    await expect(client.fetch('/api/runs', { method: 'POST', body: 'a secret task' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(loupe.received).toHaveLength(1);
    expect(hostile.received).toHaveLength(1);
  });

  it('learns nothing when it listens on another address of localhost', async () => {
    const challenges = newChallenges();
    using hostile = await listen((request, response) => {
      response.end(JSON.stringify(challenges.answer(nonceIn(request), `::1:${hostile.port}`)));
    });
    const client = new ProvenServer({ url: `http://localhost:${hostile.port}`, token });
    await expect(client.fetch('/api/runs')).rejects.toMatchObject({ code: 'unauthorized' });
    expect(hostile.received).toHaveLength(1);
  });

  it('is sent a new handshake after a restart', async () => {
    let challenges = newChallenges();
    using server = await listen((request, response) =>
      honest(challenges, () => server.port)(request, response),
    );
    const client = new ProvenServer({ url: server.url, token });
    expect((await client.fetch('/')).status).toBe(200);
    challenges = newChallenges();
    expect((await client.fetch('/')).status).toBe(200);
    expect((await client.fetch('/')).status).toBe(200);
    expect(server.received.filter((text) => text.includes('/api/handshake'))).toHaveLength(2);
  });

  it('is sent one handshake for requests at the same time, even after a restart', async () => {
    let challenges = newChallenges();
    using server = await listen((request, response) =>
      honest(challenges, () => server.port)(request, response),
    );
    const client = new ProvenServer({ url: server.url, token });
    const several = async () =>
      (await Promise.all(Array.from({ length: 5 }, () => client.fetch('/')))).map(({ status }) => status);
    const handshakes = () => server.received.filter((text) => text.includes('/api/handshake')).length;
    expect(await several()).toEqual([200, 200, 200, 200, 200]);
    expect(handshakes()).toBe(1);
    challenges = newChallenges();
    expect(await several()).toEqual([200, 200, 200, 200, 200]);
    expect(handshakes()).toBe(2);
  });

  it('is sent nothing for a request that was cancelled before', async () => {
    const challenges = newChallenges();
    using server = await listen(honest(challenges, () => server.port));
    const client = new ProvenServer({ url: server.url, token });
    await expect(client.fetch('/', { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(server.received).toEqual([]);
    await client.fetch('/');
    await expect(client.fetch('/', { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    await client.fetch('/');
    expect(server.received).toHaveLength(3);
  });

  it('is sent a new handshake after an hour', async () => {
    let now = 0;
    const challenges = newChallenges(() => now);
    using server = await listen(honest(challenges, () => server.port));
    const client = new ProvenServer({ url: server.url, token });
    await client.fetch('/');
    now = 3_600_001;
    expect((await client.fetch('/')).status).toBe(200);
    expect(server.received.filter((text) => text.includes('/api/handshake'))).toHaveLength(2);
  });

  it('may answer that it is still starting', async () => {
    const challenges = newChallenges();
    let starting = true;
    using server = await listen((request, response) => {
      if (starting) response.writeHead(503).end('starting');
      else honest(challenges, () => server.port)(request, response);
    });
    const client = new ProvenServer({ url: server.url, token });
    const answer = await client.fetch('/');
    expect([answer.status, await answer.text()]).toEqual([503, 'starting']);
    starting = false;
    expect((await client.fetch('/')).status).toBe(200);
  });
});

describe('the proof of a client', () => {
  it('is valid only unaltered, for the listener and process it was made for', async () => {
    const challenges = newChallenges();
    using server = await listen(honest(challenges, () => server.port));
    const client = new ProvenServer({ url: server.url, token });
    await client.fetch('/');
    const bearer = /Bearer (\S+)/.exec(server.received.join('\n'))?.[1] ?? '';
    const listener = `127.0.0.1:${server.port}`;
    expect(challenges.accepts(bearer, listener)).toBe(true);
    expect(challenges.accepts(bearer, '127.0.0.1:1')).toBe(false);
    expect(newChallenges().accepts(bearer, listener)).toBe(false);
    expect(challenges.accepts(`${bearer}x`, listener)).toBe(false);
    expect(challenges.accepts(bearer.replace('.0-', '.1-'), listener)).toBe(false);
    expect(challenges.accepts(token, listener)).toBe(false);
  });

  it('is valid only with a time and a random number that the server has seen', () => {
    const challenges = newChallenges();
    const listener = '127.0.0.1:4120';
    const clientNonce = 'a'.repeat(43);
    const { nonce } = challenges.answer(clientNonce, listener);
    const accepts = (challenge: Pick<Challenge, 'clientNonce' | 'serverNonce'>) =>
      challenges.accepts(clientBearer(proofKey(token), { ...challenge, listener }), listener);
    expect(accepts({ clientNonce, serverNonce: nonce })).toBe(true);
    expect(accepts({ clientNonce, serverNonce: nonce.replace(/^0-/, '1-') })).toBe(false);
    expect(accepts({ clientNonce: 'b'.repeat(43), serverNonce: nonce })).toBe(false);
  });
});

it.each([
  ['http://127.0.0.1:4120', '127.0.0.1:4120', true],
  ['http://127.0.0.1:4120', '0.0.0.0:4120', true],
  ['http://127.0.0.1:4120', ':::4120', true],
  ['http://127.0.0.1:4120', '127.0.0.1:4121', false],
  ['http://127.0.0.1:4120', '::1:4120', false],
  ['http://127.10.200.30:4120', '127.10.200.30:4120', true],
  ['http://127.10.200.30:4120', '127.0.0.1:4120', false],
  ['http://127.0.0.1.example:4120', '203.0.113.1:4120', true],
  ['http://[::1]:4120', '::1:4120', true],
  ['http://[::1]:4120', ':::4120', true],
  ['http://[::1]:4120', '127.0.0.1:4120', false],
  ['http://host.example:4120', '0.0.0.0:4120', true],
  ['http://host.example', '0.0.0.0:80', true],
  ['http://host.example', '0.0.0.0:4120', false],
  ['https://host.example', '0.0.0.0:443', true],
])('%s leads to a server that listens on %s: %s', (url, listener, expected) => {
  expect(isListenerOf(new URL(url), listener)).toBe(expected);
});
